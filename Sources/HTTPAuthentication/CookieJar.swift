public import PledgeFutures
public import PledgeHTTPMessages

/// Keeps the cookies of servers, and selects the cookies for each request (RFC 6265).
///
/// ```swift
/// let jar = CookieJar()
/// let service = stack(.redirect(), .cookies(sharing: jar), over: transport.send)
/// ```
///
/// A server may set cookies for itself and for the domains above it. It can't set cookies for another IP address, for a
/// single label such as "com", or for a public suffix such as "co.uk": on Linux, libpsl knows the list, if the
/// system has it; everywhere else, the jar asks Pledge's copy of the list of publicsuffix.org, as of 2026-10-22.
/// The jar accepts Secure cookies from https only, and checks the prefixes `__Host-` and `__Secure-` (RFC 6265bis).
/// SameSite is stored but has no effect, because an app's requests don't come from a site.
///
/// The jar removes expired cookies. When it exceeds a limit, it also removes the least recently used ones. You can use
/// a jar from any thread, and share it among any number of stacks. Each use takes a lock. The time to find a request's
/// cookies grows with the number of cookies that belong to the request's host or to a domain above it. The time to
/// store a cookie grows at most with the total number of cookies.
public final class CookieJar: CookieKeeping, Sendable {
    private let store: Locked<CookieStore>
    private let file: (any CookiePlace)?
    private let bytesPerCookie: Int
    private let now: @Sendable () -> Date
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// Creates a jar.
    ///
    /// To keep the cookies across runs of the process, import `PledgeStorage` and write `CookieJar(file:)`. A limit below zero is a programming error and traps.
    ///
    /// - Parameters:
    ///   - snapshot: The initial cookies. The jar leaves out cookies that have expired or can't be sent.
    ///   - cookiesPerDomain: The largest number of cookies per domain (RFC 6265, section 6.1).
    ///   - cookiesInAll: The largest number of cookies in all.
    ///   - bytesPerCookie: The largest size of name and value together, in bytes; a larger cookie is ignored.
    ///   - now: The clock that decides when cookies expire.
    ///   - isPublicSuffix: Returns whether anyone may register names directly below a domain, such as "co.uk"; nil for
    ///     the list of public suffixes. No cookie is accepted for such a domain. The function is called with a domain in lower case, on the thread on
    ///     which the head of a response arrived, so it must not block.
    public convenience init(
        restoring snapshot: Snapshot? = nil, cookiesPerDomain: Int = 50,
        cookiesInAll: Int = 3_000, bytesPerCookie: Int = 4_096,
        now: @escaping @Sendable () -> Date = { .now },
        isPublicSuffix: (@Sendable (String) -> Bool)? = nil
    ) {
        self.init(
            snapshot, in: nil, limits: (cookiesPerDomain, cookiesInAll, bytesPerCookie), now: now,
            isPublicSuffix: isPublicSuffix ?? PublicSuffix.contains)
    }

    /// `limits` are the cookies per domain, the cookies in all, and the bytes per cookie.
    package init(
        _ snapshot: Snapshot?, in file: (any CookiePlace)?, limits: (Int, Int, Int),
        now: @escaping @Sendable () -> Date,
        isPublicSuffix: @escaping @Sendable (String) -> Bool
    ) {
        let (cookiesPerDomain, cookiesInAll, bytesPerCookie) = limits
        self.file = file
        for (name, limit) in [
            ("cookiesPerDomain", cookiesPerDomain), ("cookiesInAll", cookiesInAll),
            ("bytesPerCookie", bytesPerCookie),
        ] {
            precondition(limit >= 0, "a cookie jar needs \(name) of 0 or more, not \(limit)")
        }
        var store = CookieStore(
            limits: CookieStore.Limits(perDomain: cookiesPerDomain, inAll: cookiesInAll))
        if let snapshot {
            let now = now()
            for cookie in snapshot.cookies where cookie.canBeSent { store.keep(cookie, at: now) }
        }
        self.store = Locked(store)
        self.bytesPerCookie = bytesPerCookie
        self.now = now
        self.isPublicSuffix = isPublicSuffix
    }

    /// All cookies that haven't expired, oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.all(at: now) }
    }

    /// Returns the cookies for a request to a URL, in the order of the header.
    ///
    /// The array is empty unless the URL is absolute and http or https.
    public func cookies(for url: URL) -> [Cookie] {
        guard let place = CookieURL(url) else { return [] }
        let now = now()
        return store.withLock { $0.cookies(for: place, at: now) }
    }

    /// Stores the cookies of a response.
    ///
    /// Each Set-Cookie is handled separately. The jar ignores malformed headers, and cookies that the server must not
    /// set.
    ///
    /// - Parameters:
    ///   - headers: The headers of a response.
    ///   - url: The URL that answered.
    package func store(_ headers: HTTPHeaders, from url: URL) {
        for value in headers.received("Set-Cookie") {
            store(SetCookie(value, limit: bytesPerCookie), from: url)
        }
    }

    /// Stores the cookies of a response, unless its user has signed out meanwhile.
    package func store(_ headers: HTTPHeaders, from url: URL, of signIn: SignIn) {
        for value in headers.received("Set-Cookie") {
            store(SetCookie(value, limit: bytesPerCookie), from: url, of: signIn)
        }
    }

    /// Stores the cookie of one Set-Cookie header.
    ///
    /// ```swift
    /// jar.store("theme=dark; Path=/; Max-Age=3600", from: url)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The value of the header.
    ///   - url: The URL that sent it.
    /// - Returns: The cookie; nil if the jar ignored it. An expired cookie is returned too: the jar doesn't ignore it,
    ///   but removes the stored cookie that it replaces.
    @discardableResult
    public func store(_ text: String, from url: URL) -> Cookie? {
        store(SetCookie(text, limit: bytesPerCookie), from: url)
    }

    @discardableResult
    private func store(_ header: SetCookie?, from url: URL, of signIn: SignIn? = nil) -> Cookie? {
        guard let header, let place = CookieURL(url) else { return nil }
        let now = now()
        // This runs outside the lock, because it calls the app's `isPublicSuffix`.
        guard
            let cookie = Cookie(header, from: place, at: now, isPublicSuffix: isPublicSuffix)
        else { return nil }
        let isKept = store.withLock { store in
            // A late response must not set cookies for the next user.
            if let signIn, signIn !== store.signIn { return false }
            return store.keep(cookie, isSecure: place.isSecure, at: now)
        }
        if isKept { saveSoon() }
        return isKept ? cookie : nil
    }

    private func saveSoon(afterRemoval: Bool = false) {
        file?.saveSoon(afterRemoval: afterRemoval, snapshot(keepingSessionCookies:))
    }

    /// Waits until the jar's file has all changes so far; settles at once if the jar has no file.
    ///
    /// After a failed write, it writes the file again.
    ///
    /// - Returns: A future that rejects with a `FileError` if the file can't be written.
    public func flush() -> Future<Void> {
        file?.flush(snapshot(keepingSessionCookies:)) ?? Future(value: ())
    }

    /// Removes the cookie with the same name, domain and path, if there is one.
    public func remove(_ cookie: Cookie) {
        store.withLock { _ = $0.remove(cookie) }
        saveSoon(afterRemoval: true)
    }

    /// Removes all cookies, for example when a user signs out.
    ///
    /// Caches remove the answers that they have stored for these cookies.
    public func removeAll() {
        store.withLock { $0.removeAll() }.informCaches()
        saveSoon(afterRemoval: true)
    }

    /// Tells a cache, later, when all cookies are removed.
    package func inform(_ cache: any UserForgetting) { store.withLock { $0.signIn.inform(cache) } }

    /// Returns the cookies for a URL, marked as used, and the sign-in that they belong to.
    func use(for url: URL) -> (cookies: [Cookie], of: SignIn)? {
        guard let place = CookieURL(url) else { return nil }
        let now = now()
        return store.withLock { ($0.use(for: place, at: now), $0.signIn) }
    }
}

extension CookieJar: DescriptionOnly {
    /// The number of cookies.
    public var description: String { "a cookie jar with \(store.withLock { $0.count }) cookies" }
}

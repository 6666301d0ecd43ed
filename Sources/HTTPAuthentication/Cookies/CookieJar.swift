import Futures
public import HTTPNetworking

/// Keeps the cookies of servers, and knows which of them a request carries (RFC 6265).
///
/// ```swift
/// let jar = CookieJar()
/// let service = stack(.redirect(), .cookies(sharing: jar), over: transport.send)
/// ```
///
/// A server may set cookies for itself and for the domains above it, but not for an IP address it is
/// not, nor for a single label such as "com". That "co.uk" is as public as "com" is known only from a
/// list, which changes weekly and is not part of this package: pass `isPublicSuffix` if the servers
/// that you talk to do not all trust each other. Secure cookies are taken from https only, and
/// the promises of the names `__Host-` and `__Secure-` are checked (RFC 6265bis). SameSite is kept,
/// but not applied: a request of an app comes from no site.
///
/// Expired cookies, and cookies beyond the limits, are removed; of the latter the least recently
/// used first. A jar may be used from any thread, and shared by any number of stacks. Each use
/// takes a lock: for a request, for a time that grows with the cookies of the host and the domains
/// above it; to keep one, at most with all.
public final class CookieJar {
    private let store: Locked<CookieStore>
    private let bytesPerCookie: Int
    private let now: @Sendable () -> HTTPDate
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// Makes a jar.
    ///
    /// A limit below zero is a programming error and traps.
    ///
    /// - Parameters:
    ///   - snapshot: The initial cookies; those that have expired, or could not be sent, are left
    ///     out.
    ///   - cookiesPerDomain: How many cookies of one domain are kept (RFC 6265, section 6.1).
    ///   - cookiesInAll: How many are kept in all.
    ///   - bytesPerCookie: How long name and value may be together; a longer cookie is ignored.
    ///   - now: The date by which cookies end.
    ///   - isPublicSuffix: Whether names directly below a domain, such as "co.uk", are open to the
    ///     public. Called with a domain in lower case, on the thread on which a response came. No
    ///     cookie is for all hosts below such a domain.
    public init(
        restoring snapshot: Snapshot? = nil, cookiesPerDomain: Int = 50,
        cookiesInAll: Int = 3_000, bytesPerCookie: Int = 4_096,
        now: @escaping @Sendable () -> HTTPDate = { .now },
        isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
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

    /// All cookies that are not over, the oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.all(at: now) }
    }

    /// The cookies that a request to a URL carries, in the order in which it does; none where it is no
    /// absolute http or https URL.
    public func cookies(for url: URL) -> [Cookie] {
        guard let place = CookiePlace(url) else { return [] }
        let now = now()
        return store.withLock { $0.cookies(for: place, at: now) }
    }

    /// Keeps what a response asks to be kept.
    ///
    /// Each Set-Cookie is processed by itself; a malformed one, or one that the server must not
    /// set, is ignored.
    ///
    /// - Parameters:
    ///   - headers: The headers of a response.
    ///   - url: The URL that answered.
    public func store(_ headers: HTTPHeaders, from url: URL) {
        for text in headers.values(for: "Set-Cookie") { store(text, from: url) }
    }

    /// Keeps what one header asks to be kept.
    ///
    /// ```swift
    /// jar.store("theme=dark; Path=/; Max-Age=3600", from: url)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The value of a Set-Cookie.
    ///   - url: The URL that it is from.
    /// - Returns: The cookie; nil where it was ignored. One that was over at once is given as well, since
    ///   it removes the one before it.
    @discardableResult
    public func store(_ text: String, from url: URL) -> Cookie? {
        guard let place = CookiePlace(url), let header = SetCookie(text, limit: bytesPerCookie)
        else { return nil }
        let now = now()
        // Outside of the lock, since the suffixes are the user's to know.
        guard
            let cookie = Cookie(header, from: place, at: now, isPublicSuffix: isPublicSuffix)
        else { return nil }
        return store.withLock { $0.keep(cookie, isSecure: place.isSecure, at: now) } ? cookie : nil
    }

    /// Removes a cookie, if there is one of the same name, domain and path.
    public func remove(_ cookie: Cookie) { store.withLock { _ = $0.remove(cookie) } }

    /// Removes all cookies, as at the end of an account's use.
    ///
    /// A cache no longer returns the answers to them that it has stored.
    public func removeAll() { store.withLock { $0.removeAll() } }

    /// The cookies of a request, as its header Cookie says them, and in whose name; their use is taken
    /// note of.
    func use(for url: URL) -> (cookies: [Cookie], of: SignIn)? {
        guard let place = CookiePlace(url) else { return nil }
        let now = now()
        return store.withLock { ($0.use(for: place, at: now), $0.signIn) }
    }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many cookies there are.
    public var description: String { "a cookie jar with \(store.withLock { $0.count }) cookies" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["jar": description]) }
}

extension CookieJar: Sendable {}

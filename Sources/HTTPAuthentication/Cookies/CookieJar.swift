import PledgeFutures
public import PledgeHTTPNetworking

/// Keeps the cookies of servers, and chooses those of a request (RFC 6265).
///
/// ```swift
/// let jar = CookieJar()
/// let service = stack(.redirect(), .cookies(sharing: jar), over: transport.send)
/// ```
///
/// A server may set cookies for itself and for the domains above it, but not for another IP address, nor for
/// a single label such as "com". Whether "co.uk" is as public as "com" is known only from a list, which
/// changes weekly and is not part of this package: pass `isPublicSuffix` if your servers do not all trust
/// each other. Secure cookies are accepted from https only, and the prefixes `__Host-` and `__Secure-` are
/// checked (RFC 6265bis). SameSite is kept, but not applied: a request of an app does not come from a site.
///
/// Expired cookies, and cookies beyond the limits, are removed; beyond the limits, the least recently used
/// first. A jar may be used from any thread, and shared by any number of stacks. Each use takes a lock: for a
/// request, for a time that grows with the cookies of the host and the domains above it; to keep one, at most
/// with all.
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
    ///   - cookiesInAll: How many cookies are kept in all.
    ///   - bytesPerCookie: The largest length of name and value together; a longer cookie is ignored.
    ///   - now: The date by which cookies end.
    ///   - isPublicSuffix: Whether names directly below a domain, such as "co.uk", are open to the
    ///     public. Called with a domain in lower case, on the thread on which a response arrived. No cookie
    ///     is accepted for such a domain.
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

    /// All cookies that have not expired, the oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return store.withLock { $0.all(at: now) }
    }

    /// The cookies of a request to a URL, in the order of the header; none if it is not an absolute http or
    /// https URL.
    public func cookies(for url: URL) -> [Cookie] {
        guard let place = CookieURL(url) else { return [] }
        let now = now()
        return store.withLock { $0.cookies(for: place, at: now) }
    }

    /// Stores the cookies of a response.
    ///
    /// Each Set-Cookie is processed separately; a malformed one, or one that the server must not
    /// set, is ignored.
    ///
    /// - Parameters:
    ///   - headers: The headers of a response.
    ///   - url: The URL that answered.
    public func store(_ headers: HTTPHeaders, from url: URL) {
        for value in headers.received("Set-Cookie") {
            store(SetCookie(value, limit: bytesPerCookie), from: url)
        }
    }

    /// Stores the cookie of one header.
    ///
    /// ```swift
    /// jar.store("theme=dark; Path=/; Max-Age=3600", from: url)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The value of a Set-Cookie.
    ///   - url: The URL that it is from.
    /// - Returns: The cookie; nil if it was ignored. An expired cookie is returned as well, since it removes
    ///   the old one.
    @discardableResult
    public func store(_ text: String, from url: URL) -> Cookie? {
        store(SetCookie(text, limit: bytesPerCookie), from: url)
    }

    @discardableResult
    private func store(_ header: SetCookie?, from url: URL) -> Cookie? {
        guard let header, let place = CookieURL(url) else { return nil }
        let now = now()
        // Outside the lock, because it calls the user's function.
        guard
            let cookie = Cookie(header, from: place, at: now, isPublicSuffix: isPublicSuffix)
        else { return nil }
        return store.withLock { $0.keep(cookie, isSecure: place.isSecure, at: now) } ? cookie : nil
    }

    /// Removes a cookie, if there is one of the same name, domain and path.
    public func remove(_ cookie: Cookie) { store.withLock { _ = $0.remove(cookie) } }

    /// Removes all cookies, as at the end of an account's use.
    ///
    /// A cache no longer returns the answers that it has stored for them.
    public func removeAll() { store.withLock { $0.removeAll() } }

    /// The cookies of a request, and their user; their use is recorded.
    func use(for url: URL) -> (cookies: [Cookie], of: SignIn)? {
        guard let place = CookieURL(url) else { return nil }
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

extension CookieJar: CookieKeeping {}

extension CookieJar: Sendable {}

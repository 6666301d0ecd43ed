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
public final class CookieJar: CookieKeeping, Sendable {
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

extension CookieJar {
    /// The cookies of a jar, to write to disk and read again.
    ///
    /// ```swift
    /// try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)
    /// ```
    ///
    /// Cookies are often equivalent to passwords: store it where only your app can read it.
    public struct Snapshot: Hashable, Sendable {
        /// The cookies, the oldest first.
        public var cookies: [Cookie]

        /// Makes a snapshot.
        public init(cookies: [Cookie]) { self.cookies = cookies }
    }

    /// The current content of the jar.
    ///
    /// - Parameter keepingSessionCookies: Whether it includes session cookies. They end with the session,
    ///   which for most apps is not the end of the process.
    public func snapshot(keepingSessionCookies: Bool = false) -> Snapshot {
        Snapshot(cookies: cookies.filter { keepingSessionCookies || $0.expires != nil })
    }
}

extension CookieJar.Snapshot: Codable {
    private enum Key: String, CodingKey {
        case version, cookies
    }

    /// Reads a snapshot.
    ///
    /// - Throws: `DecodingError`, also for a later version of the format.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let version = try fields.decode(Int.self, forKey: .version)
        guard version == 1 else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: fields,
                debugDescription: "a cookie snapshot of version \(version), not 1")
        }
        cookies = try fields.decode([Cookie].self, forKey: .cookies)
    }

    /// Writes a snapshot, the cookies' values included.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(1, forKey: .version)
        try fields.encode(cookies, forKey: .cookies)
    }
}

/// The cookies of a jar, and the choice of those for a place (RFC 6265, sections 5.3 and 5.4).
///
/// Pure: no lock, no clock. Uses are numbered, because several occur in one second.
struct CookieStore {
    struct Entry {
        var cookie: Cookie
        /// When it was first made.
        var made: Int
        /// When it was last made or sent.
        var used: Int
    }

    /// How many there may be.
    struct Limits {
        var perDomain = 50
        var inAll = 3_000
    }

    let limits: Limits
    private var domains: [String: [Entry]] = [:]
    private(set) var count = 0
    private var ticks = 0
    /// The user of the cookies, until all are removed.
    private(set) var signIn = SignIn()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Keeps a cookie in place of the one that it replaces, or only removes the old one, if the new
    /// one has expired.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - isSecure: Whether it came over https; if not, it does not hide one that did.
    ///   - now: The date.
    /// - Returns: False if it would, and was ignored.
    @discardableResult
    mutating func keep(_ cookie: Cookie, isSecure: Bool = true, at now: HTTPDate) -> Bool {
        if !isSecure, hidesSecure(cookie) { return false }
        let old = remove(cookie)
        if cookie.isOver(at: now) { return true }
        ticks += 1
        let entry = Entry(cookie: cookie, made: old?.made ?? ticks, used: ticks)
        domains[cookie.domain, default: []].append(entry)
        count += 1
        makeRoom(in: cookie.domain, at: now)
        return true
    }

    /// Removes the cookie that another would replace.
    @discardableResult
    mutating func remove(_ cookie: Cookie) -> Entry? {
        guard let index = domains[cookie.domain]?.firstIndex(where: { cookie.replaces($0.cookie) })
        else { return nil }
        count -= 1
        let entry = domains[cookie.domain]?.remove(at: index)
        if domains[cookie.domain]?.isEmpty == true { domains[cookie.domain] = nil }
        return entry
    }

    mutating func removeAll() {
        domains = [:]
        count = 0
        signIn.end()
        signIn = SignIn()
    }

    /// All cookies that have not expired, the oldest first.
    func all(at now: HTTPDate) -> [Cookie] {
        domains.values.joined().filter { !$0.cookie.isOver(at: now) }
            .sorted { $0.made < $1.made }.map(\.cookie)
    }

    /// The cookies for a place, the longest path first, then the oldest.
    func cookies(for place: CookieURL, at now: HTTPDate) -> [Cookie] {
        indices(for: place, at: now).compactMap { domains[$0.domain]?[$0.index].cookie }
    }

    /// The same, and records their use.
    mutating func use(for place: CookieURL, at now: HTTPDate) -> [Cookie] {
        let found = indices(for: place, at: now)
        ticks += 1
        for (domain, index) in found { domains[domain]?[index].used = ticks }
        return found.compactMap { domains[$0.domain]?[$0.index].cookie }
    }

    private func indices(
        for place: CookieURL, at now: HTTPDate
    ) -> [(domain: String, index: Int)] {
        var found: [(domain: String, index: Int, entry: Entry)] = []
        for domain in Self.domains(of: place.host) {
            for (index, entry) in (domains[domain] ?? []).enumerated()
            where entry.cookie.isFor(place) && !entry.cookie.isOver(at: now) {
                found.append((domain, index, entry))
            }
        }
        found.sort { left, right in
            let lengths = (left.entry.cookie.path.utf8.count, right.entry.cookie.path.utf8.count)
            return lengths.0 == lengths.1
                ? left.entry.made < right.entry.made : lengths.0 > lengths.1
        }
        return found.map { ($0.domain, $0.index) }
    }

    /// A host, and the domains above it.
    private static func domains(of host: String) -> [String] {
        var domains = [host]
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}

// MARK: - Room

extension CookieStore {
    /// Removes cookies beyond the limits: expired ones, then the least recently used (section 5.3).
    ///
    /// Within a domain those without Secure are removed first, so that a server without TLS cannot displace
    /// cookies that were set over TLS (RFC 6265bis, section 5.7).
    private mutating func makeRoom(in domain: String, at now: HTTPDate) {
        if domains[domain]?.count ?? 0 > limits.perDomain {
            removeOver(in: domain, at: now)
            evict(from: domain, downTo: limits.perDomain)
        }
        guard count > limits.inAll else { return }
        for domain in Array(domains.keys) { removeOver(in: domain, at: now) }
        while count > limits.inAll,
            let oldest = domains.values.joined().min(by: { $0.used < $1.used })
        {
            remove(oldest.cookie)
        }
    }

    private mutating func removeOver(in domain: String, at now: HTTPDate) {
        for entry in domains[domain] ?? [] where entry.cookie.isOver(at: now) {
            remove(entry.cookie)
        }
    }

    private mutating func evict(from domain: String, downTo limit: Int) {
        let entries = domains[domain] ?? []
        let order = entries.sorted { left, right in
            left.cookie.isSecure == right.cookie.isSecure
                ? left.used < right.used : !left.cookie.isSecure
        }
        for entry in order.prefix(max(0, entries.count - limit)) { remove(entry.cookie) }
    }

    /// Whether a cookie from http would hide a Secure cookie of the same name (RFC 6265bis, section 5.7).
    private func hidesSecure(_ cookie: Cookie) -> Bool {
        domains.values.joined().contains { entry in
            let other = entry.cookie
            return other.isSecure && other.name == cookie.name
                && (CookieDomain.matches(host: other.domain, domain: cookie.domain)
                    || CookieDomain.matches(host: cookie.domain, domain: other.domain))
                && CookiePath.matches(request: cookie.path, cookie: other.path)
        }
    }
}

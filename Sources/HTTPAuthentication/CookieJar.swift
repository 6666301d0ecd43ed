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
/// single label such as "com", or for a public suffix such as "co.uk" (``PublicSuffix``).
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
    ///   - isPublicSuffix: Returns whether anyone may register names directly below a domain, such as "co.uk". No
    ///     cookie is accepted for such a domain. The function is called with a domain in lower case, on the thread on
    ///     which the head of a response arrived, so it must not block.
    public convenience init(
        restoring snapshot: Snapshot? = nil, cookiesPerDomain: Int = 50,
        cookiesInAll: Int = 3_000, bytesPerCookie: Int = 4_096,
        now: @escaping @Sendable () -> Date = { .now },
        isPublicSuffix: @escaping @Sendable (String) -> Bool = PublicSuffix.contains
    ) {
        self.init(
            snapshot, in: nil, limits: (cookiesPerDomain, cookiesInAll, bytesPerCookie), now: now,
            isPublicSuffix: isPublicSuffix)
    }

    /// A jar; `limits` are the cookies per domain, the cookies in all, and the bytes per cookie.
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
    public func store(_ headers: HTTPHeaders, from url: URL) {
        for value in headers.received("Set-Cookie") {
            store(SetCookie(value, limit: bytesPerCookie), from: url)
        }
    }

    /// Stores the cookies of a response, unless their user has signed out.
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

    /// Has a cache told when all cookies are removed.
    package func inform(_ cache: any UserForgetting) { store.withLock { $0.signIn.inform(cache) } }

    /// Returns a request's cookies and the user whom they belong to, and records that the cookies were used.
    func use(for url: URL) -> (cookies: [Cookie], of: SignIn)? {
        guard let place = CookieURL(url) else { return nil }
        let now = now()
        return store.withLock { ($0.use(for: place, at: now), $0.signIn) }
    }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of cookies.
    public var description: String { "a cookie jar with \(store.withLock { $0.count }) cookies" }

    /// The same as `description`, so that a debugger shows no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["jar": description]) }
}

extension CookieJar {
    /// The cookies of a jar, for writing to disk and reading again.
    ///
    /// ```swift
    /// try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)
    /// ```
    ///
    /// Cookies are often as powerful as passwords: store a snapshot where only your app can read it.
    public struct Snapshot: Hashable, Sendable {
        /// The cookies, oldest first.
        public var cookies: [Cookie]

        /// Creates a snapshot.
        public init(cookies: [Cookie]) { self.cookies = cookies }
    }

    /// Returns the current cookies of the jar.
    ///
    /// - Parameter keepingSessionCookies: True to include session cookies, which end with the user's session. In most
    ///   apps, that session doesn't end with the process.
    public func snapshot(keepingSessionCookies: Bool = false) -> Snapshot {
        Snapshot(cookies: cookies.filter { keepingSessionCookies || $0.expires != nil })
    }
}

extension CookieJar.Snapshot: Codable {
    private enum Key: String, CodingKey {
        case version, cookies
    }

    /// Decodes a snapshot.
    ///
    /// - Throws: `DecodingError`; this is also thrown if the snapshot has a later version of the format.
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

    /// Encodes a snapshot, including the cookies' values.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(1, forKey: .version)
        try fields.encode(cookies, forKey: .cookies)
    }
}

/// The place of a jar's cookies across runs of the process.
package protocol CookiePlace: Sendable {
    /// Returns the jar's cookies, given whether session cookies are among them.
    typealias Snapshot = @Sendable (Bool) -> CookieJar.Snapshot

    /// Writes a jar's cookies soon; the changes until then are written with them.
    ///
    /// - Parameter afterRemoval: True if the app has removed cookies, which must not stay if the write fails.
    func saveSoon(afterRemoval: Bool, _ snapshot: @escaping Snapshot)

    /// Waits until all changes so far are written; after a failed write, writes the cookies again.
    func flush(_ snapshot: @escaping Snapshot) -> Future<Void>
}

/// The cookies of a jar, and the selection of cookies for a URL (RFC 6265, sections 5.3 and 5.4).
///
/// It has no lock and no clock. Uses are numbered instead of dated, because several can occur in one second.
struct CookieStore {
    struct Entry {
        var cookie: Cookie
        /// The number of the use that first stored the cookie.
        var made: Int
        /// The number of the use that last stored or sent the cookie.
        var used: Int
    }

    /// The largest numbers of cookies.
    struct Limits {
        var perDomain = 50
        var inAll = 3_000
    }

    let limits: Limits
    private var domains: [String: [Entry]] = [:]
    private(set) var count = 0
    private var ticks = 0
    /// Stands for the user whom the cookies belong to; replaced when all cookies are removed.
    private(set) var signIn = SignIn()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Stores a cookie, and removes the stored cookie that it replaces.
    ///
    /// If the new cookie has expired, it isn't stored; it only removes the other cookie.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - isSecure: True if the cookie came over https. A cookie that came over http must not hide a Secure cookie.
    ///   - now: The date.
    /// - Returns: False if the cookie was ignored, because it would hide a Secure cookie.
    @discardableResult
    mutating func keep(_ cookie: Cookie, isSecure: Bool = true, at now: Date) -> Bool {
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

    /// Removes the cookie that the given one would replace.
    @discardableResult
    mutating func remove(_ cookie: Cookie) -> Entry? {
        guard let index = domains[cookie.domain]?.firstIndex(where: { cookie.replaces($0.cookie) })
        else { return nil }
        count -= 1
        let entry = domains[cookie.domain]?.remove(at: index)
        if domains[cookie.domain]?.isEmpty == true { domains[cookie.domain] = nil }
        return entry
    }

    /// Removes all cookies.
    ///
    /// - Returns: The sign-in that has ended, whose caches are to be told.
    @discardableResult
    mutating func removeAll() -> SignIn {
        domains = [:]
        count = 0
        let ended = signIn
        signIn = SignIn()
        ended.endSignIn(before: signIn)
        return ended
    }

    /// Returns all cookies that haven't expired, oldest first.
    func all(at now: Date) -> [Cookie] {
        domains.values.joined().filter { !$0.cookie.isOver(at: now) }
            .sorted { $0.made < $1.made }.map(\.cookie)
    }

    /// Returns the cookies for a URL: longest path first, and among paths of the same length, oldest cookie first.
    func cookies(for place: CookieURL, at now: Date) -> [Cookie] {
        indices(for: place, at: now).compactMap { domains[$0.domain]?[$0.index].cookie }
    }

    /// Returns the same cookies as ``cookies(for:at:)``, and records that they were used.
    mutating func use(for place: CookieURL, at now: Date) -> [Cookie] {
        let found = indices(for: place, at: now)
        ticks += 1
        for (domain, index) in found { domains[domain]?[index].used = ticks }
        return found.compactMap { domains[$0.domain]?[$0.index].cookie }
    }

    private func indices(
        for place: CookieURL, at now: Date
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

    /// Returns a host and the domains above it.
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
    /// Removes cookies beyond the limits (RFC 6265, section 5.3): first expired ones, then the least recently used.
    ///
    /// Within a domain, cookies without Secure go first, so that a server without TLS can't push out cookies that were
    /// set over TLS (RFC 6265bis, section 5.7).
    private mutating func makeRoom(in domain: String, at now: Date) {
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

    private mutating func removeOver(in domain: String, at now: Date) {
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

    /// Returns whether a cookie from http would hide a Secure cookie with the same name (RFC 6265bis, section 5.7).
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

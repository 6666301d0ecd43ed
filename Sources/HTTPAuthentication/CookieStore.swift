import PledgeFutures
import PledgeHTTPMessages

/// Stores cookies, and selects those for a URL (RFC 6265, sections 5.3 and 5.4).
///
/// It has no lock and no clock. Uses are numbered, because several can fall into one second.
struct CookieStore {
    struct Entry {
        var cookie: Cookie
        /// The number of the use that first stored the cookie.
        var made: Int
        /// The number of the use that last stored or sent the cookie.
        var used: Int
    }

    struct Limits {
        var perDomain = 50
        var inAll = 3_000
    }

    let limits: Limits
    private var domains: [String: [Entry]] = [:]
    private(set) var count = 0
    private var ticks = 0
    /// Identifies the user of the cookies; replaced when all cookies are removed.
    private(set) var signIn = SignIn()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Stores a cookie in place of an equal one.
    ///
    /// An expired cookie only removes the equal one.
    ///
    /// - Parameter isSecure: True if the cookie came over https. One that came over http must not hide a Secure cookie.
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

    /// Removes the stored cookie that this one would replace.
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
    /// - Returns: The sign-in that this ends; the caller tells its caches, outside the lock.
    @discardableResult
    mutating func removeAll() -> SignIn {
        domains = [:]
        count = 0
        let ended = signIn
        signIn = SignIn()
        ended.endSignIn(before: signIn)
        return ended
    }

    /// All cookies that haven't expired, oldest first.
    func all(at now: Date) -> [Cookie] {
        domains.values.joined().filter { !$0.cookie.isOver(at: now) }
            .sorted { $0.made < $1.made }.map(\.cookie)
    }

    /// Returns the cookies for a URL: longest path first, then oldest first.
    func cookies(for place: CookieURL, at now: Date) -> [Cookie] {
        indices(for: place, at: now).compactMap { domains[$0.domain]?[$0.index].cookie }
    }

    /// Like ``cookies(for:at:)``, but marks the cookies as used.
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

    /// Returns a host and all domains above it.
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

extension CookieStore {
    /// Enforces the limits (RFC 6265, section 5.3): removes expired cookies, then the least recently used.
    ///
    /// Within a domain, cookies without Secure go first, so that a server without TLS can't push out those set over TLS
    /// (RFC 6265bis, section 5.7).
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

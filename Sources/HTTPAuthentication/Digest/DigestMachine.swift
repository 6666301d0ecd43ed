import PledgeHTTPNetworking

/// The nonces of an origin, and the requests that wait for the first one.
///
/// Unknown: it is not known whether the origin asks for digests. Next: probing, by the first request, which
/// is sent without one. Probing: requests wait. Next: known or open, by the answer; unknown, without an
/// answer. Open: the origin accepted a request without a digest. Requests are sent without one, in parallel.
/// Next: known. Known: for one or more protection spaces there is a nonce, which requests use at once. A new
/// challenge of the same realm replaces it, and so does a nonce that the server sends in advance.
struct DigestMachine<Waiter> {
    /// What a request has to do.
    enum Decision {
        /// Send it with a digest.
        case send(DigestGrant)
        /// Send it without one.
        case sendBare
        /// Send it without one, and end the probe with this number.
        case probe(Int)
        /// Wait, under this number, and ask again.
        case wait(Int)
    }

    private struct ProtectionSpace {
        var challenge: DigestChallenge
        /// Path prefixes; nil for the whole origin.
        let prefixes: [String]?
        var number: Int
        let session: DigestGrant.Session?
        var count: UInt32 = 0
        /// Whether the server has accepted a request with this nonce, or with one that it replaced in
        /// advance.
        var isAccepted = false

        func covers(_ target: String) -> Bool {
            guard let prefixes else { return true }
            return prefixes.contains { prefix in
                guard target.hasPrefix(prefix) else { return false }
                // "/a" matches "/a/b" and "/a?b", but not "/ab".
                let next = target.utf8.dropFirst(prefix.utf8.count).first
                return prefix.hasSuffix("/") || next.map { "/?".utf8.contains($0) } ?? true
            }
        }
    }

    /// How many protection spaces of an origin are kept.
    static var mostSpaces: Int { 8 }

    /// The last challenged one is first.
    private var spaces: [ProtectionSpace] = []
    private var isOpen = false
    private var probe: Int?
    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0

    /// Whether no request probes or waits for an answer.
    var isIdle: Bool { probe == nil && waiters.isEmpty }

    /// Comes with a request that is to be sent.
    mutating func ask(_ target: String, _ waiter: @autoclosure () -> Waiter) -> Decision {
        if let index = spaces.firstIndex(where: { $0.covers(target) }) { return .send(use(index)) }
        if isOpen || !spaces.isEmpty { return .sendBare }
        let number = nextNumber()
        if probe == nil {
            probe = number
            return .probe(number)
        }
        waiters[number] = waiter()
        return .wait(number)
    }

    /// Removes a waiter before there is an answer to the probe.
    mutating func leave(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Ends a probe, unless it has ended.
    ///
    /// - Parameter isAnswered: Whether there was an answer; without one, another request is the next probe.
    /// - Returns: The waiters, in the order in which they came. They ask again.
    mutating func endProbe(_ number: Int, isAnswered: Bool) -> [Waiter] {
        guard probe == number else { return [] }
        probe = nil
        if isAnswered { isOpen = true }
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Handles a 401 and its challenge.
    ///
    /// - Parameters:
    ///   - prefixes: The path prefixes of the challenge; nil for all paths.
    ///   - grant: The grant of the request; nil for none.
    ///   - clientNonce: A random text for the hash of a session.
    /// - Returns: Whether the request has to be sent again; false if the password was refused.
    mutating func challenged(
        _ challenge: DigestChallenge, for prefixes: [String]?, refusing grant: DigestGrant?,
        clientNonce: String
    ) -> Bool {
        let index = spaces.firstIndex { $0.challenge.realm == challenge.realm }
        let isOfRealm = grant?.challenge.realm == challenge.realm
        // Another request has brought a newer nonce since this one was sent.
        if let index, !isOfRealm || spaces[index].number != grant?.number { return true }
        // A server that has lost its nonces may not report that they are stale.
        let mayBeStale = challenge.isStale || index.map { spaces[$0].isAccepted } ?? false
        if let index { spaces.remove(at: index) }
        let session =
            challenge.algorithm.isSession
            ? DigestGrant.Session(nonce: challenge.nonce, clientNonce: clientNonce) : nil
        spaces.insert(
            ProtectionSpace(
                challenge: challenge, prefixes: prefixes, number: nextNumber(), session: session),
            at: 0)
        if spaces.count > Self.mostSpaces { spaces.removeLast() }
        return !isOfRealm || mayBeStale
    }

    /// The next use of the nonce of a realm; nil if there is none any more.
    mutating func grant(forRealm realm: String) -> DigestGrant? {
        spaces.firstIndex { $0.challenge.realm == realm }.map { use($0) }
    }

    /// Handles an answer that is not a 401.
    ///
    /// - Parameter nextNonce: The server's next nonce; nil for the same.
    mutating func accepted(_ grant: DigestGrant, nextNonce: String?) {
        guard let index = spaces.firstIndex(where: { $0.number == grant.number }) else { return }
        spaces[index].isAccepted = true
        guard let nextNonce, nextNonce != grant.challenge.nonce else { return }
        spaces[index].challenge.nonce = nextNonce
        spaces[index].count = 0
        spaces[index].number = nextNumber()
    }

    private mutating func use(_ index: Int) -> DigestGrant {
        spaces[index].count &+= 1
        let space = spaces[index]
        return DigestGrant(
            challenge: space.challenge, number: space.number, count: space.count,
            session: space.session)
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

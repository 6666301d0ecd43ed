import HTTPNetworking

/// Which nonces an origin has given, and who waits for the first.
///
/// Unknown: it is not known whether the origin asks for digests. Next: probing, by the first
/// request, which goes without one. Probing: requests wait. Next: known or open, by the answer;
/// unknown, if none came. Open: the origin let a request in without a digest. Requests go without
/// one, side by side. Next: known. Known: for one or several protection spaces there is a nonce,
/// which requests go with at once. A new challenge of the same realm replaces it, and so does a
/// nonce that the server names beforehand.
struct DigestMachine<Waiter> {
    /// What a request is to do.
    enum Turn {
        /// Go with a digest.
        case send(DigestGrant)
        /// Go without one.
        case sendBare
        /// Go without one, and end the probe with this number.
        case probe(Int)
        /// Wait, under this number, and ask again.
        case wait(Int)
    }

    private struct Space {
        var challenge: DigestChallenge
        /// Path prefixes; nil for the whole origin.
        let prefixes: [String]?
        var number: Int
        let session: DigestGrant.Session?
        var count: UInt32 = 0
        /// Whether the server has let in a request with this nonce or one that it replaced beforehand.
        var isAccepted = false

        func covers(_ target: String) -> Bool {
            guard let prefixes else { return true }
            return prefixes.contains { prefix in
                guard target.hasPrefix(prefix) else { return false }
                // "/a" is for "/a/b" and "/a?b", and not for "/ab".
                let next = target.utf8.dropFirst(prefix.utf8.count).first
                return prefix.hasSuffix("/") || next.map { "/?".utf8.contains($0) } ?? true
            }
        }
    }

    /// How many protection spaces of an origin are kept.
    static var mostSpaces: Int { 8 }

    /// The one that was challenged last comes first.
    private var spaces: [Space] = []
    private var isOpen = false
    private var probe: Int?
    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0

    /// Whether no request probes or waits for an answer.
    var isIdle: Bool { probe == nil && waiters.isEmpty }

    /// Comes with a request that is to be sent.
    mutating func ask(_ target: String, _ waiter: @autoclosure () -> Waiter) -> Turn {
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

    /// Goes away before there is an answer to the probe.
    mutating func leave(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Ends a probe, unless it has ended.
    ///
    /// - Parameter isAnswered: Whether there was an answer; without one, another request is the next probe.
    /// - Returns: Who waited, in the order in which they came. They ask again.
    mutating func endProbe(_ number: Int, isAnswered: Bool) -> [Waiter] {
        guard probe == number else { return [] }
        probe = nil
        if isAnswered { isOpen = true }
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Comes with a 401 and its challenge.
    ///
    /// - Parameters:
    ///   - prefixes: What paths the challenge is for; nil for all.
    ///   - grant: What the request was sent with; nil for none.
    ///   - clientNonce: A random text for the hash of a session.
    /// - Returns: Whether the request is to be sent again: not where the password was refused.
    mutating func challenged(
        _ challenge: DigestChallenge, for prefixes: [String]?, refusing grant: DigestGrant?,
        clientNonce: String
    ) -> Bool {
        let index = spaces.firstIndex { $0.challenge.realm == challenge.realm }
        let isOfRealm = grant?.challenge.realm == challenge.realm
        // Another request has brought a newer nonce since this one was sent.
        if let index, !isOfRealm || spaces[index].number != grant?.number { return true }
        // A server that has forgotten its nonces may not know that they are stale.
        let mayBeStale = challenge.isStale || index.map { spaces[$0].isAccepted } ?? false
        if let index { spaces.remove(at: index) }
        let session =
            challenge.algorithm.isSession
            ? DigestGrant.Session(nonce: challenge.nonce, clientNonce: clientNonce) : nil
        spaces.insert(
            Space(
                challenge: challenge, prefixes: prefixes, number: nextNumber(), session: session),
            at: 0)
        if spaces.count > Self.mostSpaces { spaces.removeLast() }
        return !isOfRealm || mayBeStale
    }

    /// The next use of the nonce of a realm; nil where there is none any more.
    mutating func grant(forRealm realm: String) -> DigestGrant? {
        spaces.firstIndex { $0.challenge.realm == realm }.map { use($0) }
    }

    /// Comes with an answer that is no 401.
    ///
    /// - Parameter nextNonce: The nonce that the server wants from now on; nil for the same.
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

import PledgeFutures
import PledgeHTTPMessages
import PledgeServices

/// A login and its origins' challenges, shared by all requests with that login.
final class DigestSession: Sendable {
    private typealias Machine = DigestMachine<InternalPromise<Void>>

    /// The largest number of origins to remember.
    ///
    /// An origin with a probe in flight is always kept.
    ///
    /// A probe is the first request to an origin, sent without a digest; the other requests wait for its answer.
    private static let mostOrigins = 256

    let login: DigestLogin
    let principal: Principal

    private let random: RandomSource
    private let machines = Locked<[HTTPOrigin: Machine]>([:])

    init(_ login: DigestLogin, random: RandomSource) {
        self.login = login
        self.random = random
        principal = .holder(of: "\(login.user):\(login.password)", in: "Authorization: Digest")
    }

    /// What to do with a request; see the cases of the machine's `Decision`.
    enum Decision {
        case send(DigestGrant)
        case sendBare
        case probe(Int)
        case wait(Future<Void>)
    }

    func ask(_ origin: HTTPOrigin, _ target: String) -> Decision {
        let promise = InternalPromise<Void>()
        switch withMachine(origin, { $0.ask(target, promise) }) {
        case .send(let grant): return .send(grant)
        case .sendBare: return .sendBare
        case .probe(let number): return .probe(number)
        case .wait(let number):
            promise.onCancel { _ = self.withMachine(origin) { $0.leave(number) } }
            return .wait(promise)
        }
    }

    /// Ends an origin's probe, if it hasn't ended yet.
    ///
    /// The requests that waited for it call ``ask(_:_:)`` again.
    func endProbe(_ number: Int, of origin: HTTPOrigin, isAnswered: Bool) {
        let waiters = withMachine(origin) { $0.endProbe(number, isAnswered: isAnswered) }
        for waiter in waiters { waiter.resolve() }
    }

    /// Handles a 401 with a challenge.
    ///
    /// - Parameter mayRepeat: True if the request can be sent again.
    /// - Returns: The grant for sending it again; nil if the caller is to get the 401.
    func challenged(
        _ challenge: DigestChallenge, by origin: HTTPOrigin, refusing grant: DigestGrant?,
        mayRepeat: Bool
    ) -> DigestGrant? {
        let prefixes = challenge.domain.map { urls in
            urls.compactMap { target(of: $0, at: origin) }
        }
        let clientNonce = makeClientNonce()
        return withMachine(origin) { machine in
            let isWorthwhile = machine.challenged(
                challenge, for: prefixes, refusing: grant, clientNonce: clientNonce)
            return isWorthwhile && mayRepeat ? machine.grant(forRealm: challenge.realm) : nil
        }
    }

    /// Handles an answer other than a 401.
    func accepted(_ grant: DigestGrant, by origin: HTTPOrigin, nextNonce: String?) {
        withMachine(origin) { $0.accepted(grant, nextNonce: nextNonce) }
    }

    /// 128 random bits as text.
    func makeClientNonce() -> String {
        let bytes = random.nextOfID().bigEndianBytes + random.nextOfID().bigEndianBytes
        return Data(bytes).base64EncodedString()
    }

    /// The path and query of a URL in a challenge; nil if it's not a URL of the origin.
    private func target(of text: String, at origin: HTTPOrigin) -> String? {
        if text.hasPrefix("/"), !text.hasPrefix("//") { return text }
        guard let url = URL(string: text), HTTPOrigin(url) == origin else { return nil }
        return url.requestTarget
    }

    private func withMachine<Value: Sendable>(
        _ origin: HTTPOrigin, _ body: (inout Machine) -> sending Value
    ) -> Value {
        machines.withLock { machines in
            // The credentials may be for all origins, so without a limit, many servers could fill the memory.
            if machines.count >= Self.mostOrigins, machines[origin] == nil {
                machines = machines.filter { !$0.value.isIdle }
            }
            return body(&machines[origin, default: Machine()])
        }
    }
}

extension DigestSession: CustomStringConvertible, CustomReflectable {
    /// A constant text, so that no log shows the password.
    var description: String { "a digest session" }

    /// Empty, so that no dump shows the password.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The nonces of an origin, and the requests that wait for the first one.
///
/// - Unknown: no answer has arrived from the origin yet. The first request is sent without a digest. Next: probing.
/// - Probing: the first request is in flight, and other requests wait. Next: known or open, depending on the answer;
///   unknown, if no answer arrives.
/// - Open: the origin accepted a request without a digest, so all requests are sent without one. Next: known.
/// - Known: one or more protection spaces have a nonce, and requests use it at once. A new challenge with the same
///   realm replaces the nonce, and so does a nonce that the server sends in advance.
struct DigestMachine<Waiter> {
    /// What to do with a request.
    enum Decision {
        case send(DigestGrant)
        case sendBare
        /// Send it without a digest, as the probe with this number, and end the probe afterwards.
        case probe(Int)
        /// Wait until the probe ends, then ask again; the number identifies the wait.
        case wait(Int)
    }

    private struct ProtectionSpace {
        var challenge: DigestChallenge
        /// The path prefixes of the space; nil for the whole origin.
        let prefixes: [String]?
        var number: Int
        let session: DigestGrant.Session?
        var count: UInt32 = 0
        /// True if the server has accepted this nonce, or has accepted another one and then announced this one.
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

    static var mostSpaces: Int { 8 }

    /// The space with the latest challenge comes first.
    private var spaces: [ProtectionSpace] = []
    private var isOpen = false
    private var probe: Int?
    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0

    /// True if no probe is in flight and no request waits for one.
    var isIdle: Bool { probe == nil && waiters.isEmpty }

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

    /// Removes a request that no longer waits for the probe.
    mutating func leave(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Ends a probe, if it hasn't ended yet.
    ///
    /// - Parameter isAnswered: False if the probe got no answer; then another request becomes the probe.
    /// - Returns: The waiters, in order of arrival, which now ask again.
    mutating func endProbe(_ number: Int, isAnswered: Bool) -> [Waiter] {
        guard probe == number else { return [] }
        probe = nil
        if isAnswered { isOpen = true }
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Handles a 401 with a challenge.
    ///
    /// - Parameters:
    ///   - prefixes: The paths that the challenge is for; nil for all.
    ///   - grant: What the request was sent with; nil if it was sent without a digest.
    ///   - clientNonce: A random text for a session's hash.
    /// - Returns: True to send the request again; false if the server refused the password.
    mutating func challenged(
        _ challenge: DigestChallenge, for prefixes: [String]?, refusing grant: DigestGrant?,
        clientNonce: String
    ) -> Bool {
        let index = spaces.firstIndex { $0.challenge.realm == challenge.realm }
        let isOfRealm = grant?.challenge.realm == challenge.realm
        // Another request has got a newer nonce meanwhile, so this one is sent again with it.
        if let index, !isOfRealm || spaces[index].number != grant?.number { return true }
        // A server that has forgotten its nonces doesn't always say "stale". So a nonce that worked before may be stale
        // too.
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

    /// Counts one more use of a realm's nonce; nil if the realm is no longer known.
    mutating func grant(forRealm realm: String) -> DigestGrant? {
        spaces.firstIndex { $0.challenge.realm == realm }.map { use($0) }
    }

    /// Handles an answer other than a 401.
    ///
    /// - Parameter nextNonce: The nonce that the server announces; nil to keep the current one.
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

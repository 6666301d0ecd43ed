import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A login and the challenges of its origins, shared by all requests with it.
final class DigestSession {
    private typealias Machine = DigestMachine<InternalPromise<Void>>

    /// How many origins are kept.
    private static let mostOrigins = 256

    let login: DigestLogin
    /// The user of its requests.
    let principal: Principal

    private let random: RandomSource
    private let machines = Locked<[HTTPOrigin: Machine]>([:])

    init(_ login: DigestLogin, random: RandomSource) {
        self.login = login
        self.random = random
        principal = .holder(of: "\(login.user):\(login.password)", in: "Authorization: Digest")
    }

    /// What a request has to do.
    enum Decision {
        case send(DigestGrant)
        case sendBare
        case probe(Int)
        case wait(Future<Void>)
    }

    /// Asks how to send a request.
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

    /// Ends a probe, unless it has ended; its waiters ask again.
    func endProbe(_ number: Int, of origin: HTTPOrigin, isAnswered: Bool) {
        let waiters = withMachine(origin) { $0.endProbe(number, isAnswered: isAnswered) }
        for waiter in waiters { waiter.resolve() }
    }

    /// Reports a 401 with a challenge.
    ///
    /// - Parameter mayRepeat: Whether the request can be sent again.
    /// - Returns: The grant for sending it again; nil if the 401 is the answer.
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

    /// Reports an answer that is not a 401.
    func accepted(_ grant: DigestGrant, by origin: HTTPOrigin, nextNonce: String?) {
        withMachine(origin) { $0.accepted(grant, nextNonce: nextNonce) }
    }

    /// 128 random bits.
    func makeClientNonce() -> String {
        let bytes = random.next().bigEndianBytes + random.next().bigEndianBytes
        return Data(bytes).base64EncodedString()
    }

    /// The target of a URL in a challenge; nil if it is not a URL of the origin.
    private func target(of text: String, at origin: HTTPOrigin) -> String? {
        if text.hasPrefix("/"), !text.hasPrefix("//") { return text }
        guard let url = URL(string: text), HTTPOrigin(url) == origin else { return nil }
        return url.requestTarget
    }

    private func withMachine<Value: Sendable>(
        _ origin: HTTPOrigin, _ body: (inout Machine) -> sending Value
    ) -> Value {
        machines.withLock { machines in
            // With credentials for all origins, many servers must not fill the memory.
            if machines.count >= Self.mostOrigins, machines[origin] == nil {
                machines = machines.filter { !$0.value.isIdle }
            }
            return body(&machines[origin, default: Machine()])
        }
    }
}

extension DigestSession: CustomStringConvertible, CustomReflectable {
    /// A constant text, without the content.
    var description: String { "a digest session" }

    /// A mirror that shows nothing.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension DigestSession: Sendable {}

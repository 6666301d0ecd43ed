import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport

/// Two hosts that answer at random, on virtual time, and record the requests.
final class OrderServer: Sendable {
    static let host = "a.test"
    static let otherHost = "b.test"
    /// The URL of the refresher's tokens.
    static let tokenURL = URL(string: "https://a.test/token")!

    struct State {
        var dice: SeededGenerator
        /// How often each request that may be processed once was processed, by its call; one request for each
        /// key.
        var processed: [String: Int] = [:]
        var keys: Set<String> = []
        var faults: [OrderFault] = []
        var evidence = 0
        var transcript: [String] = []
        /// The requests to a service that is down, except those for tokens.
        var arrivals: [(call: String?, instant: Duration)] = []
        /// How often each storable answer was sent in full, by its URL.
        var fullAnswers: [String: Int] = [:]
        /// The only valid token; nil before the first one.
        var token: String?
    }

    let state: Locked<State>
    let scheduler: ManualScheduler
    let secrets: OrderSecrets
    let behaviour: OrderBehaviour
    /// Whether it records what it sends and names the request, as the transports of this package do.
    let isTransport: Bool
    /// Whether the server never fails.
    let isHealthy: Bool

    init(
        _ behaviour: OrderBehaviour, on scheduler: ManualScheduler, _ secrets: OrderSecrets,
        dice: inout SeededGenerator
    ) {
        self.behaviour = behaviour
        self.scheduler = scheduler
        self.secrets = secrets
        isTransport = Int.random(in: 0..<3, using: &dice) > 0
        isHealthy = Int.random(in: 0..<4, using: &dice) == 0
        state = Locked(State(dice: SeededGenerator(seed: dice.next())))
    }

    @Sendable func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        guard isTransport else { return receive(request) }
        return CallContext.current.exchange(request) { self.receive(request) }
    }

    func note(_ fault: OrderFault) { state.withLock { $0.faults.append(fault) } }

    /// Counts an answer that shows that the service is not healthy.
    func noteEvidence() { state.withLock { $0.evidence += 1 } }

    private func receive(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let body: String
        do {
            try request.validate()
            body = try Self.text(of: request.body)
        } catch { return Future(error: error) }
        let text = Self.text(of: request, body)
        let host = HTTPOrigin(request.url)?.host ?? "nobody"
        let (answer, delay) = state.withLock { state -> (OrderAnswer, Duration) in
            for place in secrets.places(in: text, notFor: host) {
                state.faults.append(
                    OrderFault(.secretsStayWithTheirOrigins, "\(place) went to \(host)"))
            }
            let answer = self.answer(to: request, &state)
            if answer.hasProcessed { state.process(request) }
            if answer.isEvidence { state.evidence += 1 }
            state.transcript.append("\(scheduler.now.offset) \(request) \(answer)")
            return (answer, self.delay(&state))
        }
        if delay == .zero { return Future(result: result(answer, request, text)) }
        return Future<Void>(value: ()).delay(delay, on: scheduler).map {
            try self.result(answer, request, text).get()
        }
    }

    private func answer(to request: HTTPRequest, _ state: inout State) -> OrderAnswer {
        let isOfTokens = request.url == Self.tokenURL
        switch behaviour {
        case .random: return state.answer(to: request, isHealthy: isHealthy)
        case .down(let answer):
            let arrival = (request.headers["X-Call"], scheduler.now.offset)
            if !isOfTokens { state.arrivals.append(arrival) }
            return answer
        case .confirming:
            if isOfTokens { return .status(200) }
            let isOld = request.headers["Authorization"] != "Bearer \(state.token ?? "")"
            return isOld ? .status(401) : .cacheable
        }
    }

    private func delay(_ state: inout State) -> Duration {
        if case .random = behaviour { state.delay() } else { .zero }
    }

    private static func text(of body: HTTPRequest.Body) throws -> String {
        let stream = try body.open()
        var data = Data()
        while let chunk = try stream.next().result?.get() ?? nil { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    /// The whole request as text.
    private static func text(of request: HTTPRequest, _ body: String) -> String {
        let fields = request.effectiveHeaders.map { "\($0.name)=\($0.value)" }
        return "\(request.url.absoluteString)\n\(fields.joined(separator: "\n"))\n\(body)"
    }
}

extension OrderServer.State {
    /// Records that a request is processed.
    fileprivate mutating func process(_ request: HTTPRequest) {
        guard request.method == .post, let call = request.headers["X-Call"] else { return }
        if let key = request.effectiveHeaders["Idempotency-Key"], !keys.insert(key).inserted {
            return
        }
        processed[call, default: 0] += 1
    }

    fileprivate mutating func answer(to request: HTTPRequest, isHealthy: Bool) -> OrderAnswer {
        let answer = OrderAnswer.draw(&dice, isHealthy: isHealthy)
        // Sometimes all tokens expire.
        if Int.random(in: 0..<12, using: &dice) == 0 { token = "revoked" }
        guard request.url != OrderServer.tokenURL else {
            if case .redirect = answer { return .status(200) }
            if case .compressed = answer { return .status(200) }
            return answer
        }
        if let token, request.url.host() == OrderServer.host,
            let sent = request.headers["Authorization"], sent.hasPrefix("Bearer "),
            sent != "Bearer \(token)"
        {
            return .status(401)
        }
        return answer
    }

    fileprivate mutating func delay() -> Duration {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0..<3: .zero
        case 3..<9: .milliseconds(Int.random(in: 1...80, using: &dice))
        default: .milliseconds(Int.random(in: 500...9_000, using: &dice))
        }
    }
}

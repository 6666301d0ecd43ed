import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPTransportKit
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

extension OrderServer {
    /// The answer to a request.
    ///
    /// - Parameter text: The whole request, which the server may repeat.
    func result(
        _ answer: OrderAnswer, _ request: HTTPRequest, _ text: String
    ) -> Result<HTTPResponse, any Error> {
        switch answer {
        case .unreachable: .failure(error(.cannotConnect, request))
        case .lost: .failure(error(.connectionLost, request))
        case .cutShort:
            .failure(error(.badResponse, request, echo(200, request, text)))
        case .status(200, _) where request.url == Self.tokenURL: .success(grant(request))
        case .status(let status, let delay):
            .success(echo(status, request, text, retryAfter: delay))
        case .redirect(let status, let isOther): .success(redirect(status, isOther, request))
        case .cacheable: .success(cacheable(request, text))
        case .compressed(let isCutShort):
            .success(
                response(
                    200, ["Content-Type": "text/plain", "Content-Encoding": "gzip"],
                    isCutShort ? Compressed.gzip.dropLast(9) : Compressed.gzip, request))
        }
    }

    private func error(
        _ code: HTTPError.Code, _ request: HTTPRequest, _ response: HTTPResponse? = nil
    ) -> any Error {
        if isTransport { return HTTPError(code: code, request: request, response: response) }
        return HTTPError(code: code, response: response)
    }

    private func response(
        _ status: Int, _ headers: HTTPHeaders, _ body: Data, _ request: HTTPRequest
    ) -> HTTPResponse {
        let body = request.method == .head || status == 204 || status == 304 ? Data() : body
        guard isTransport else { return HTTPResponse(status: status, headers: headers, body: body) }
        return HTTPResponse(
            status: status, headers: headers, body: body, url: request.url, request: request)
    }

    /// Repeats the request, in the body and in headers.
    private func echo(
        _ status: Int, _ request: HTTPRequest, _ text: String, retryAfter: Int? = nil
    ) -> HTTPResponse {
        let kind = state.withLock { Int.random(in: 0..<4, using: &$0.dice) }
        var headers: HTTPHeaders = ["X-Echo": request.headers["Authorization"] ?? "nobody"]
        if let retryAfter { headers.set("\(retryAfter)", for: "Retry-After") }
        let body: Data
        switch kind {
        case 0:
            headers.set("application/json", for: "Content-Type")
            body = (try? JSONEncoder().encode(["error": "bad", "message": text])) ?? Data()
        case 1:
            headers.set("text/html", for: "Content-Type")
            let escaped = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            body = Data("<p>sorry: \(escaped ?? "")</p>".utf8)
        case 2:
            let key = request.headers["X-API-Key"] ?? request.headers["Cookie"] ?? "nobody"
            headers.set("text/plain; for=\(key)", for: "Content-Type")
            body = Data(text.utf8)
        default: body = Data("you said \(text)".utf8)
        }
        return response(status, headers, body, request)
    }

    private func redirect(_ status: Int, _ isOther: Bool, _ request: HTTPRequest) -> HTTPResponse {
        let path = state.withLock { Int.random(in: 0..<9, using: &$0.dice) }
        let isHome = request.url.host() == Self.host
        let host = isOther == isHome ? Self.otherHost : Self.host
        let place = isOther ? "https://\(host)/r\(path)" : "/r\(path)"
        return response(status, ["Location": place], Data(), request)
    }

    private func cacheable(_ request: HTTPRequest, _ text: String) -> HTTPResponse {
        let (age, status) = state.withLock { state in
            (Int.random(in: 0...3, using: &state.dice), Int.random(in: 0..<4, using: &state.dice))
        }
        let headers: HTTPHeaders = [
            "ETag": "\"v1\"", "Content-Type": "text/plain", "Cache-Control": "max-age=\(age)",
            "Date": Date(secondsSince1970: now).httpText,
        ]
        if request.headers["If-None-Match"] == "\"v1\"" {
            return response(304, headers, Data(), request)
        }
        state.withLock { $0.fullAnswers[request.url.absoluteString, default: 0] += 1 }
        return response(status == 0 ? 404 : 200, headers, Data(text.utf8), request)
    }

    /// Makes a new token, and invalidates all others.
    private func grant(_ request: HTTPRequest) -> HTTPResponse {
        let token = secrets.plant(in: "access token", for: Self.host)
        let lifetime = state.withLock { state in
            state.token = token
            return Int.random(in: 1...20, using: &state.dice)
        }
        let next = secrets.plant(in: "refresh token", for: Self.host)
        let text = """
            {"access_token":"\(token)","token_type":"Bearer","expires_in":\(lifetime),\
            "refresh_token":"\(next)"}
            """
        return response(
            200, ["Content-Type": "application/json"], Data(text.utf8), request)
    }

    /// The seconds of the wall clock; the scheduler's zero is a day in 2026.
    var now: Int64 { 1_780_000_000 + scheduler.now.offset.components.seconds }
}

/// The random server's answer to a request.
enum OrderAnswer: Sendable {
    /// No connection is made.
    case unreachable
    /// The connection is lost after the request has arrived.
    case lost
    /// The answer's body ends too early.
    case cutShort
    case status(Int, retryAfter: Int? = nil)
    case redirect(Int, toOtherHost: Bool)
    case cacheable
    case compressed(isCutShort: Bool)

    /// Makes a random answer.
    ///
    /// - Parameter isHealthy: Whether the server never fails.
    static func draw(_ dice: inout SeededGenerator, isHealthy: Bool) -> OrderAnswer {
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<22: .status(200)
        case 22..<30: .cacheable
        case 30..<34: .compressed(isCutShort: false)
        case 34..<37: .status(204)
        case 37..<52:
            .redirect(
                [301, 302, 303, 307, 308].randomElement(using: &dice) ?? 302,
                toOtherHost: Bool.random(using: &dice))
        case 52..<58: .status(401)
        case 58..<72:
            .status(
                [403, 404, 413, 421, 422, 425].randomElement(using: &dice) ?? 404,
                retryAfter: Int.random(in: 0..<3, using: &dice) == 0 ? 1 : nil)
        case _ where isHealthy: .status(422)
        case 72..<79: .status(503, retryAfter: [nil, 0, 2, 100].randomElement(using: &dice) ?? nil)
        case 79..<83: .status(500)
        case 83..<87: .status(429, retryAfter: Bool.random(using: &dice) ? 1 : nil)
        case 87..<91: .unreachable
        case 91..<97: .lost
        case 97..<99: .cutShort
        default: .compressed(isCutShort: true)
        }
    }

    /// Whether it shows that the service is not healthy.
    var isEvidence: Bool {
        switch self {
        case .unreachable, .lost, .cutShort, .compressed(isCutShort: true): true
        case .status(let status, _): status >= 500 || status == 408 || status == 429
        default: false
        }
    }

    /// Whether the server has processed a request that gets this answer.
    var hasProcessed: Bool {
        switch self {
        case .unreachable, .redirect: false
        case .status(let status, _): ![401, 407, 421, 425].contains(status)
        default: true
        }
    }
}

/// The kind of a script, which decides how its server answers.
enum OrderBehaviour: Sendable {
    /// A few calls; the server answers at random.
    case random
    /// Many calls; the server is down, and gives each of them this answer at once.
    case down(OrderAnswer)
    /// The same GET a few times; the server's answer may be stored, and the server confirms a stored answer.
    case confirming

    /// Makes a random behaviour.
    static func draw(_ dice: inout SeededGenerator) -> OrderBehaviour {
        switch Int.random(in: 0..<30, using: &dice) {
        case 0:
            let delay = [nil, 0, 0, 1].randomElement(using: &dice) ?? nil
            let answers: [OrderAnswer] = [
                .unreachable, .lost, .status(500), .status(503, retryAfter: delay),
                .status(429, retryAfter: delay),
            ]
            return .down(answers.randomElement(using: &dice) ?? .lost)
        case 1: return .confirming
        default: return .random
        }
    }

    /// Adds the layers that the script tests, at random places.
    func complete(_ layers: inout [OrderedLayer], _ dice: inout SeededGenerator) {
        switch self {
        case .random: return
        case .down:
            guard !layers.contains(.retry) else { return }
            layers.insert(.retry, at: Int.random(in: 0...layers.count, using: &dice))
        case .confirming:
            // A cache above credentials stores nothing.
            let first = layers.lastIndex(where: \.addsCredentials) ?? -1
            let place = Int.random(in: (first + 1)...layers.count, using: &dice)
            layers.insert(.cache, at: place)
            layers.insert(.authorizeToken, at: Int.random(in: 0...place, using: &dice))
        }
    }

    /// The number of calls of a script.
    func drawCount(_ dice: inout SeededGenerator) -> Int {
        switch self {
        case .random: Int.random(in: 1...4, using: &dice)
        case .down: 30
        case .confirming: 4
        }
    }
}

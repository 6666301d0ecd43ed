import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeServices
import TestSupport

/// The request of one call, with secrets in all places that may contain one.
struct OrderRequest: Sendable {
    enum Body: Sendable {
        case none
        case data(String)
        case json(String)
        case form(String)
        case multipart(String)
        /// A stream that can be sent once.
        case once(String)
        /// A file that does not exist.
        case missingFile
    }

    let method: HTTPMethod
    let url: URL
    let headers: HTTPHeaders
    let body: Body
    let random: RandomSource

    /// Makes the random requests of a script.
    static func draw(
        for behaviour: OrderBehaviour, _ dice: inout SeededGenerator, _ secrets: OrderSecrets
    ) -> [OrderRequest] {
        (0..<behaviour.drawCount(&dice)).map { call in
            switch behaviour {
            case .random: draw(call: call, &dice, secrets)
            case .down: draw(call: call, isNumbered: true, &dice, secrets)
            case .confirming:
                OrderRequest(
                    method: .get, url: URL(string: "https://\(OrderServer.host)/p")!, headers: [:],
                    body: .none, random: RandomSource(SeededGenerator(seed: 0)))
            }
        }
    }

    /// Makes the random request of a call.
    ///
    /// An unsafe request names its call in a header.
    ///
    /// - Parameter isNumbered: Whether all requests name their calls.
    private static func draw(
        call: Int, isNumbered: Bool = false, _ dice: inout SeededGenerator, _ secrets: OrderSecrets
    ) -> OrderRequest {
        func oneIn(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &dice) == 0 }
        let methods: [HTTPMethod] = [.get, .get, .get, .head, .post, .post, .post, .put]
        let method = methods.randomElement(using: &dice) ?? .get
        let host = oneIn(8) ? OrderServer.otherHost : OrderServer.host
        let user = oneIn(4) ? "me:\(secrets.plant(in: "userinfo", for: host))@" : ""
        let query = oneIn(3) ? "?key=\(secrets.plant(in: "query", for: host))" : ""
        var headers = HTTPHeaders()
        if oneIn(8) {
            let token = secrets.plant(in: "own Authorization", for: host)
            headers.set("Bearer \(token)", for: "Authorization")
        }
        if oneIn(8) {
            headers.set("own=\(secrets.plant(in: "own cookie", for: host))", for: "Cookie")
        }
        if isNumbered || !method.isSafe { headers.set("\(call)", for: "X-Call") }
        // The caller's mistake: this request cannot be sent.
        if oneIn(20) { headers.set("a\r\nb", for: "X-Lines") }
        let path = Int.random(in: 0..<3, using: &dice)
        return OrderRequest(
            method: method, url: URL(string: "https://\(user)\(host)/p\(path)\(query)")!,
            headers: headers, body: method.isSafe ? .none : drawBody(&dice, secrets),
            random: RandomSource(SeededGenerator(seed: dice.next())))
    }

    private static func drawBody(
        _ dice: inout SeededGenerator, _ secrets: OrderSecrets
    ) -> Body {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0, 1: .data(secrets.plant(in: "text"))
        case 2, 3: .json(secrets.plant(in: "JSON"))
        case 4, 5: .form(secrets.plant(in: "form"))
        case 6, 7: .multipart(secrets.plant(in: "multipart"))
        case 8: Bool.random(using: &dice) ? .once(secrets.plant(in: "stream")) : .missingFile
        default: .none
        }
    }

    /// The request for a transport.
    var request: HTTPRequest {
        get throws {
            var request = HTTPRequest(method, url, headers: headers)
            switch body {
            case .multipart(let text):
                request.body = try .multipart(
                    Multipart([.text("password", text), .text("title", "Day")], random: random))
            case .once(let text):
                request.body = .stream(
                    HTTPRequest.BodySource(isReplayable: false) {
                        HTTPBodyStream(Data("words: \(text)".utf8))
                    })
            case .missingFile: request.body = .file(URL(fileURLWithPath: "/nowhere/photo"))
            default: request.body = try endpointBody
            }
            return request
        }
    }

    /// The request as an app's endpoint; a body that an endpoint cannot have becomes a form.
    var endpoint: Endpoint {
        get throws {
            var endpoint = Endpoint(url: url)
            endpoint.method = method
            endpoint.headers = headers
            endpoint.body = try endpointBody
            return endpoint
        }
    }

    private var endpointBody: HTTPRequest.Body {
        get throws {
            switch body {
            case .none, .missingFile: .none
            case .data(let text): .data(Data("words: \(text)".utf8), contentType: "text/plain")
            case .json(let text): try .json(["item": "tea", "name": text])
            case .form(let text), .multipart(let text), .once(let text):
                .form(["password": text, "title": "Day"])
            }
        }
    }
}

/// Texts that only their receivers may see.
final class OrderSecrets: Sendable {
    private struct Secret {
        let text: String
        let place: String
        /// The only host that it may be sent to; nil if the server decides.
        let host: String?
    }

    private struct State {
        var dice: SeededGenerator
        var secrets: [Secret] = []
    }

    /// The beginning of each secret, so that most texts are searched once.
    private static let beginning = "zq7"

    private let state: Locked<State>

    init(seed: UInt64) { state = Locked(State(dice: SeededGenerator(seed: seed))) }

    /// Makes a secret for a place.
    func plant(in place: String, for host: String? = nil) -> String {
        state.withLock { state in
            let letters = Array("abcdefghijklmnoprstuvwxy0123456789")
            let length = Int.random(in: 9...18, using: &state.dice)
            let rest = (0..<length).map { _ in letters.randomElement(using: &state.dice) ?? "a" }
            let text = Self.beginning + String(rest)
            state.secrets.append(Secret(text: text, place: place, host: host))
            return text
        }
    }

    /// The places of the secrets in a text.
    func places(in text: String) -> [String] {
        guard strstr(text, Self.beginning) != nil || strstr(text, "ZQ7") != nil else { return [] }
        let text = text.lowercased()
        return state.withLock { $0.secrets }.filter { text.contains($0.text) }.map(\.place)
    }

    /// The places of the secrets in a text that is sent to a host, if they are not for that host.
    func places(in text: String, notFor host: String) -> [String] {
        guard strstr(text, Self.beginning) != nil else { return [] }
        return state.withLock { $0.secrets }
            .filter { $0.host != nil && $0.host != host && text.contains($0.text) }.map(\.place)
    }
}

/// The maximum number of calls that a layer makes for the calls that it gets.
struct OrderLoad: Sendable {
    /// The maximum number for each call, including the first.
    let attempts: Int
    /// What a budget allows in addition to the first attempts; nil if there is none.
    var budget: Budget?

    struct Budget: Sendable {
        let capacity: Int
        let retriesPerSuccess: Double
    }

    /// The maximum number of calls to a service that fails them all.
    ///
    /// - Parameter calls: The number of calls that the layer gets; each may succeed by a layer beneath, such as a
    ///   fallback.
    func most(of calls: Double) -> Double {
        let most = calls * Double(attempts)
        guard let budget else { return most }
        let retries = calls * budget.retriesPerSuccess + Double(budget.capacity)
        return min(most, calls + retries)
    }
}

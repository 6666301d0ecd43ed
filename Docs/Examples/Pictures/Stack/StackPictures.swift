import Foundation
import Pledge
import Testing

@testable import HTTPClients

/// The parts of a ready client, with how often one call passed them.
@Suite struct StackPictures {
    /// What is said about a part, by its name, in the order in which parts of that name stand.
    private static let notes: [String: [(name: String, note: String)]] = [
        "observed": [("observed", "log, metrics and recorders observe all beneath")],
        "newTrace": [("newTrace", "one trace for the whole call")],
        "call": [("aroundCall", "your own")],
        "deadline": [("deadline", "bounds redirects, attempts and waits together")],
        "acceptStatus": [("acceptStatus", "makes an error of a status that is not accepted")],
        "defaultHeaders": [("userAgent", "says who asks")],
        "idempotencyKey": [("idempotencyKey", "one key for the whole call")],
        "redirect": [("redirect", "goes around for each URL")],
        "headersOfOrigin": [("headers", "for the base's origin alone")],
        "cookies": [("cookies", "by each URL's host")],
        "authorize": [("authorize", "goes around once more after a 401")],
        "cache": [("cache", "may answer by itself")],
        "each": [
            ("bulkhead", "holds a place until the call is over"),
            ("hedge", "goes down twice where it is slow"),
            ("circuitBreaker", "may refuse by itself"),
            ("rateLimit", "lets each request wait for its turn"),
        ],
        "retry": [("retry", "goes around for each attempt")],
        "attempt": [("aroundAttempt", "your own")],
        "tracePropagation": [("tracePropagation", "a span for each request")],
        "exchangeLog": [("exchangeLog", "a line for each exchange")],
        "timeout": [("timeout", "bounds one exchange")],
        "exchange": [("aroundExchange", "your own")],
        "decompress": [("decompress", "decodes the body")],
    ]
    /// The parts that begin a level that calls go through several times.
    private static let levels: Set<String> = ["redirect", "retry", "circuitBreaker"]

    private let server = URL(string: "https://shop.example")!
    private let scheduler = ManualScheduler()
    private let passed = ExampleLog()

    /// Fails twice, redirects, is slow, asks for a new token, and answers.
    private func transport() -> HTTPService {
        let (scheduler, passed) = (scheduler, passed)
        return { request in
            passed.add("transport")
            let answers: [HTTPResponse] = [
                HTTPResponse(status: 503), HTTPResponse(status: 503),
                HTTPResponse(status: 302, headers: ["Location": "/products/8"]),
                HTTPResponse(status: 200),
                HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"]),
                HTTPResponse(status: 200),
            ]
            let number = passed.lines.filter { $0 == "transport" }.count
            return Future(value: answers[number - 1])
                .delay(.milliseconds(number == 4 ? 9_000 : 20), on: scheduler)
        }
    }

    private func counting(_ name: String) -> HTTPClients.HTTPClient.OwnMiddleware {
        let passed = passed
        return .init(
            send: Middleware(named: name) { next in
                { request in
                    passed.add(name)
                    return next(request)
                }
            }, stream: Middleware(named: name) { $0 })
    }

    private func client() -> HTTPClients.HTTPClient {
        var client = HTTPClients.HTTPClient(base: server, over: transport())
        client.scheduler = scheduler
        client.random = RandomSource(SeededGenerator(seed: 1))
        client.headers = ["Accept": "application/json"]
        let refresher = TokenRefresher(AccessToken("old", refreshToken: "r")) { _ in
            Future(value: AccessToken("new"))
        }
        client.authorization = .bearer(from: refresher)
        client.cookies = CookieJar()
        client.cache = HTTPCache()
        client.sendsIdempotencyKeys = true
        client.hedge = .init(after: .seconds(1), maxExtraLoad: 1)
        client.circuitBreaker = .perOrigin()
        client.rateLimit = .perOrigin(rate: 100, per: .seconds(1), burst: 100)
        client.bulkhead = .perOrigin(limit: 2)
        client.deadline = .seconds(60)
        client.acceptedStatuses = 200...299
        client.log = .init { _ in }
        client.metrics = ServiceMetrics()
        client.tracing = .init()
        client.aroundCall = counting("call")
        client.aroundAttempt = counting("attempt")
        client.aroundExchange = counting("exchange")
        return client
    }

    @Test func wholeStack() throws {
        let client = client()
        let answer = client.send(HTTPRequest(server.appending(path: "products/7")))
        scheduler.run()
        #expect(try answer.result?.get().status == 200)
        #expect(passed.lines.filter { $0 == "attempt" }.count == 4)
        #expect(passed.lines.filter { $0 == "transport" }.count == 6)
        let parts = client.wholeStack(sharing: SharedStates(of: client)).parts
        var left = Self.notes
        var picture = StackPicture(
            Picture(
                "stack", title: "A call through the parts of a ready client",
                description: """
                    The parts of an HTTPClient from outside, which a request passes downwards and its response upwards, \
                    and how often one call passed them that was repeated after a failure, hedged, redirected, and let in \
                    with a new token: once around the call, four times around an attempt, six times around an \
                    exchange.
                    """))
        for part in parts {
            let shown = try #require(left[part]?.first, "nothing is said about \(part)")
            left[part]?.removeFirst()
            if Self.levels.contains(shown.name) { picture.beginLevel() }
            let count = passed.lines.filter { $0 == part }.count
            picture.add(shown.name, shown.note, passed: count == 0 ? nil : count)
        }
        let unseen = left.filter { !$0.value.isEmpty }.keys.sorted()
        #expect(unseen == [])
        let count = passed.lines.filter { $0 == "transport" }.count
        picture.add("transport", "carries the requests", passed: count)
        try picture.drawn().check()
    }
}

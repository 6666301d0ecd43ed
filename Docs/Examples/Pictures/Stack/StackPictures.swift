import Foundation
import Pledge
import PledgeObservation
import Testing

@testable import PledgeHTTPClients

/// The parts of a ready client, with how often one call passed them.
@Suite struct StackPictures {
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

    private func counting(_ name: String) -> PledgeHTTPClients.HTTPClient.CustomMiddleware {
        let passed = passed
        return .init(
            send: Middleware(named: name) { next in
                { request in
                    passed.add(name)
                    return next(request)
                }
            }, stream: Middleware(named: name) { $0 })
    }

    private func client() -> PledgeHTTPClients.HTTPClient {
        var client = PledgeHTTPClients.HTTPClient(base: server, over: transport())
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
        client.hedge = .perOrigin(Hedge(after: .seconds(1), maxExtraLoad: 1))
        client.circuitBreaker = .perOrigin(CircuitBreaker())
        client.rateLimit = .perOrigin(RateLimiter(rate: 100, per: .seconds(1), burst: 100))
        client.bulkhead = .perOrigin(Bulkhead(limit: 2))
        client.deadline = .seconds(60)
        client.acceptedStatuses = 200...299
        client.log = .init { _ in }
        client.observers = [ServiceMetrics().observer]
        client.tracing = .init()
        client.aroundCall = counting("aroundCall")
        client.aroundAttempt = counting("aroundAttempt")
        client.aroundExchange = counting("aroundExchange")
        return client
    }

    @Test func wholeStack() throws {
        let client = client()
        let answer = client.futures.send(HTTPRequest(server.appending(path: "products/7")))
        scheduler.run()
        #expect(try answer.result?.get().status == 200)
        #expect(passed.lines.filter { $0 == "aroundAttempt" }.count == 4)
        #expect(passed.lines.filter { $0 == "transport" }.count == 6)
        let parts = client.stack(sharing: SharedStates(of: client)).whole.parts
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
            let place = try #require(StackPlace(rawValue: part), "\(part) has no place")
            if place.beginsLevel { picture.beginLevel() }
            let count = passed.lines.filter { $0 == part }.count
            picture.add(part, place.note, passed: count == 0 ? nil : count)
        }
        let count = passed.lines.filter { $0 == "transport" }.count
        picture.add("transport", "carries the requests", passed: count)
        try picture.drawn().check()
    }

    /// The table of the guide, made of the list by which a client's stack is built.
    @Test func theTableOfTheGuide() throws {
        let rows = StackProblemRow.all.map(\.line)
        let table =
            (["| Part | Why it stands there | What goes wrong elsewhere |", "|---|---|---|"] + rows)
            .joined(separator: "\n")
        try MarkedText.check(table, between: "order", in: "Docs/Guides/TheWholeStack.md")
    }
}

/// A row of the table.
private struct StackProblemRow {
    let place: StackPlace

    static let all = StackPlace.allCases.map { StackProblemRow(place: $0) }

    var line: String {
        let problems = place.consequencesBeneath.map { outer, consequence in
            outer == place ? "Twice: \(consequence)" : "Beneath `\(outer.rawValue)`: \(consequence)"
        }
        return "| `\(place.rawValue)` | \(place.reason) | \(problems.joined(separator: " ")) |"
    }
}

/// A part of a page that is made of code, between two marks.
private enum MarkedText {
    /// Expects that the part is in the page, or writes it with PLEDGE_RECORD=1.
    static func check(_ text: String, between mark: String, in path: String) throws {
        let file = Repository.this.root.appendingPathComponent(path)
        let page = try String(contentsOf: file, encoding: .utf8)
        let (begin, end) = ("<!-- \(mark): begin -->\n", "<!-- \(mark): end -->")
        let start = try #require(page.range(of: begin)).upperBound
        let stop = try #require(page.range(of: end)).lowerBound
        if ProcessInfo.processInfo.environment["PLEDGE_RECORD"] == "1" {
            try Data("\(page[..<start])\(text)\n\(page[stop...])".utf8).write(to: file)
        } else {
            #expect(
                page[start..<stop] == text + "\n",
                "\(path) differs. If that is meant: PLEDGE_RECORD=1 swift test --filter Pictures")
        }
    }
}

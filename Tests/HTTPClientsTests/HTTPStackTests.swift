import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import PledgeTraffic
import TestSupport
import Testing

@testable import PledgeHTTPClients

/// A stack that is put together by hand.
@Suite struct HTTPStackTests {
    private let scheduler = ManualScheduler()
    private let shop = URL(string: "https://shop.example")!
    private let other = URL(string: "https://other.example")!
    private let sent = Locked<[HTTPRequest]>([])

    private func transport(
        _ answer: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse
    ) -> FunctionTransport {
        FunctionTransport { [sent] request in
            let count = sent.withLock { sent in
                sent.append(request)
                return sent.count
            }
            return Future(value: answer(request, count))
        }
    }

    private func named<Level>(_ name: String) -> HTTPPart<Level> {
        HTTPPart(
            .init(send: Middleware(named: name) { $0 }, stream: Middleware(named: name) { $0 }))
    }

    @Test func theLevelsOfAStackAreOrdered() {
        let stack = HTTPStack(
            call: [.deadline(.seconds(10)), named("a"), .redirect()], hop: [named("b"), .retry()],
            attempt: [.circuitBreaker(), .timeout(.seconds(2))], exchange: [named("c")])
        let order = ["deadline", "a", "redirect", "b", "retry", "circuitBreaker", "timeout", "c"]
        #expect(stack.whole.parts == order)
        #expect(stack.streamed.parts == order)
    }

    @Test func redirectAndRetryAreInnermostWhereverTheyStand() {
        let stack = HTTPStack(
            call: [.redirect(), .newTrace(), .idempotencyKey()],
            hop: [.retry(), .cookies(CookieJar()), .bulkhead()])
        #expect(
            stack.whole.parts == [
                "newTrace", "idempotencyKey", "redirect", "cookies", "bulkhead", "retry",
            ])
    }

    /// Of the known problems, those between levels, and with `redirect` and `retry` too far out, don't compile.
    @Test func twoThirdsOfTheKnownProblemsCannotBeWritten() {
        let levels = [
            [
                "observed", "newTrace", "deadline", "priority", "acceptStatus", "userAgent",
                "idempotencyKey", "fallback", "coalesce", "memoize", "defaultHeaders",
            ], ["redirect"],
            ["authorize", "cookies", "cache", "bulkhead", "loadShedding"], ["retry"],
            [
                "hedge", "circuitBreaker", "throttle", "pushback", "rateLimit",
                "adaptiveConcurrency", "attemptHeader", "tracePropagation", "callPropagation",
                "exchangeLog", "timeout",
            ], ["decompress"],
        ]
        let level = { (part: String) in levels.firstIndex { $0.contains(part) } }
        let pairs = StackProblem.consequences.flatMap { outer, inner in
            inner.keys.map { (outer, $0) }
        }
        let written = pairs.filter { outer, inner in
            guard let first = level(outer), let second = level(inner) else { return true }
            return first < second || first == second && ![1, 3].contains(first)
        }
        #expect(pairs.count == 89)
        #expect(written.count == 30)
    }

    @Test func aCallPassesEachLevelAsOftenAsItsNameSays() throws {
        let passed = Locked<[String]>([])
        func counting<Level>(_ name: String) -> HTTPPart<Level> {
            HTTPPart(
                .init(changing: { request in
                    passed.withLock { $0.append(name) }
                    return request
                }))
        }
        let stack = HTTPStack(
            call: [counting("call"), .redirect()],
            hop: [counting("hop"), .retry(Retry(backoff: .constant(.zero)))],
            attempt: [counting("attempt")], exchange: [counting("exchange")], on: scheduler)
        let (shop, other) = (shop, other)
        let send = stack.send(
            over: transport { request, count in
                if request.url == shop {
                    return .init(status: count == 1 ? 503 : 307, headers: ["Location": "\(other)"])
                }
                return HTTPResponse(status: 200)
            })
        #expect(try send(HTTPRequest(shop)).settledValue().status == 200)
        let counts = Dictionary(passed.withLock { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts == ["call": 1, "hop": 2, "attempt": 3, "exchange": 3])
    }

    @Test func wholeAndStreamedResponsesComeOutOfOneStack() throws {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let stack = HTTPStack(attempt: [.circuitBreaker(breaker)], on: scheduler)
        let down = transport { _, _ in HTTPResponse(status: 503) }
        _ = stack.send(over: down)(HTTPRequest(shop))
        guard case .failure(let error) = stack.stream(over: down)(HTTPRequest(shop)).result else {
            Issue.record("the breaker is closed")
            return
        }
        #expect((error as? ServiceError)?.code == .circuitOpen)
    }

    @Test func eachOriginHasItsOwnBreakerByTheStacksClock() throws {
        let stack = HTTPStack(
            attempt: [
                .circuitBreaker(.perOrigin(CircuitBreaker(failuresInARow: 1, lasting: .zero)))
            ],
            on: scheduler, random: .constant(0))
        let send = stack.send(over: transport { _, _ in HTTPResponse(status: 503) })
        for _ in 1...2 { for url in [shop, other] { _ = send(HTTPRequest(url)) } }
        #expect(sent.withLock { $0.count } == 2)
        scheduler.advance(by: .seconds(1))
        _ = send(HTTPRequest(shop))
        #expect(sent.withLock { $0.count } == 3)
    }

    @Test func theClassifierIsThatOfAllParts() throws {
        let stack = HTTPStack(
            hop: [.retry(Retry(backoff: .constant(.zero)))],
            classifier: { end in
                guard case .success(let response) = end, response.status == 404 else { return nil }
                return .retryable(fault: .caller)
            }, on: scheduler)
        let send = stack.send(
            over: transport { _, count in HTTPResponse(status: count < 3 ? 404 : 200) })
        #expect(try send(HTTPRequest(shop)).settledValue().status == 200)
    }

    @Test func metricsShowTheObjectsOfAllParts() {
        let metrics = ServiceMetrics()
        let stack = HTTPStack(
            call: [.observed(by: metrics.observer)],
            hop: [.bulkhead(Bulkhead(named: "one for all", limit: 3, leaseTime: nil))],
            attempt: [
                .circuitBreaker(.perOrigin(CircuitBreaker())),
                .throttle(AdaptiveThrottle(named: "shared")),
            ], on: scheduler)
        let send = stack.send(over: transport { _, _ in HTTPResponse(status: 200) })
        for url in [shop, other] { _ = send(HTTPRequest(url)) }
        let text = metrics.prometheusText
        for name in [
            "one for all", "https://shop.example:443", "https://other.example:443", "shared",
        ] {
            #expect(text.contains("policy_name=\"\(name)\""), "\(name)")
        }
    }

    @Test func aStackIsOverAFunctionToo() throws {
        let send = HTTPStack(hop: [.cookies(CookieJar())]).send { request in
            Future(value: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"]))
        }
        _ = send(HTTPRequest(shop))
        let request = try #require(try send(HTTPRequest(shop)).settledValue().request)
        #expect(request.headers["Cookie"] == "a=1")
    }

    @Test func theDescriptionHasTheNamesOfThePartsByLevelAndNoSecret() {
        let stack = HTTPStack(
            call: [.deadline(.seconds(10))],
            hop: [.authorize(.bearer("s3cret"), for: .all), .retry()],
            attempt: [.circuitBreaker(), .hedge()])
        #expect(
            "\(stack)"
                == "HTTPStack(call: deadline; hop: authorize, retry; attempt: circuitBreaker, hedge)"
        )
        var dumped = ""
        dump(stack, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect("\(HTTPStack())" == "HTTPStack()")
    }

    @Test func aCacheAnswersWholeResponsesOnly() throws {
        let stack = HTTPStack(hop: [.cache(HTTPCache())])
        #expect(stack.whole.parts == ["cache"])
        #expect(stack.streamed.parts == [])
    }

    /// A client is such a stack, so nothing of it is known to stand wrong.
    @Test func thePartsOfEachLevelStandWellAsTheirDocumentationOrdersThem() {
        let stack = HTTPStack(
            call: [
                .observed(), .newTrace(), .deadline(.seconds(10)), .priority(.critical),
                .acceptStatus(), .userAgent("a/1"), .idempotencyKey(), .defaultHeaders(["A": "b"]),
                .redirect(),
            ],
            hop: [
                .headers(["A": "b"], for: .all), .authorize(.bearer("t"), for: .all),
                .cookies(CookieJar()), .cache(HTTPCache()), .bulkhead(), .retry(),
            ],
            attempt: [
                .hedge(), .circuitBreaker(), .throttle(AdaptiveThrottle()), .pushback(),
                .rateLimit(RateLimiter(rate: 9, per: .seconds(1))),
                .adaptiveConcurrency(AdaptiveConcurrency()), .attemptHeader("X-Attempt"),
                .tracePropagation(), .callPropagation(to: .all), .exchangeLog { _ in },
                .timeout(.seconds(2)),
            ],
            exchange: [.decompress()])
        #expect(stack.problems == [])
        #expect(stack.whole.parts.count == 27)
    }
}

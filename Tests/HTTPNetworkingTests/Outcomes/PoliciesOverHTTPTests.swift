import Foundation
import Futures
import HTTPNetworking
import Services
import Testing

/// The generic policies, over requests and responses.
@Suite struct PoliciesOverHTTPTests {
    private let scheduler = ManualScheduler()
    private let url = URL(string: "https://shop.example.com/orders")!

    private typealias Answer = @Sendable () throws -> HTTPResponse

    private func answer(_ status: Int, _ headers: HTTPHeaders = [:]) -> Answer {
        { HTTPResponse(status: status, headers: headers) }
    }

    private func failure(_ code: HTTPError.Code) -> Answer { { throw HTTPError(code: code) } }

    private var retry: Middleware<HTTPRequest, HTTPResponse> {
        .retry(backoff: .constant(.milliseconds(100)), on: scheduler)
    }

    /// How often a request is sent through a retry, and what comes of it.
    private func sent(
        _ request: HTTPRequest, _ answers: Answer...
    ) -> (count: Int, status: Int?, code: HTTPError.Code?) {
        let service = AnsweringService(on: scheduler, answers)
        let call = stack(retry, over: service.send)(request)
        scheduler.run()
        return (
            service.requests.count, call.valueNow?.status, (call.errorNow as? HTTPError)?.code
        )
    }

    // MARK: - Retry

    @Test func aGetIsRepeatedOn503() {
        #expect(sent(HTTPRequest(.get, url), answer(503), answer(200)) == (2, 200, nil))
    }

    @Test func aPostWithoutAKeyIsNotRepeatedOn503() {
        #expect(sent(HTTPRequest(.post, url), answer(503), answer(200)) == (1, 503, nil))
    }

    @Test func aPostWithAKeyIsRepeatedOn503() {
        var request = HTTPRequest(.post, url, body: .data(Data("one".utf8)))
        request.context.idempotencyKey = "4711"
        #expect(sent(request, answer(503), answer(200)) == (2, 200, nil))
        let named = HTTPRequest(.post, url, headers: ["idempotency-key": "4711"])
        #expect(sent(named, answer(503), answer(200)) == (2, 200, nil))
    }

    @Test func aPostThatWasNotSentIsRepeated() {
        for code in [HTTPError.Code.cannotConnect, .cannotFindHost, .notConnected] {
            #expect(sent(HTTPRequest(.post, url), failure(code), answer(200)) == (2, 200, nil))
        }
        let lost = sent(HTTPRequest(.post, url), failure(.connectionLost), answer(200))
        #expect(lost == (1, nil, .connectionLost))
    }

    @Test func aStreamThatIsReadOnceIsNeverRepeatedOnceItWasOpened() {
        let source = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(Data("one".utf8))
        }
        let request = HTTPRequest(.put, url, body: .stream(source))
        #expect(sent(request, answer(503), answer(200)) == (1, 503, nil))
        let opening: Answer = {
            _ = try source.open()
            throw HTTPError(code: .cannotConnect)
        }
        #expect(!request.isUsedUp)
        #expect(sent(request, opening, answer(200)) == (1, nil, .cannotConnect))
        #expect(request.isUsedUp)
    }

    @Test func aStreamThatWasNotOpenedIsRepeatedWhereNothingWasSent() {
        let source = HTTPRequest.BodySource(isReplayable: false) { HTTPBodyStream(Data()) }
        let request = HTTPRequest(.post, url, body: .stream(source))
        #expect(sent(request, failure(.cannotConnect), answer(200)) == (2, 200, nil))
    }

    @Test func aStreamThatCanBeReadAgainIsRepeated() {
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data()) }
        let request = HTTPRequest(.put, url, body: .stream(source))
        let opening: Answer = {
            _ = try source.open()
            throw HTTPError(code: .cannotConnect)
        }
        #expect(sent(request, opening, answer(200)) == (2, 200, nil))
    }

    @Test func retryAfterReplacesTheDelay() {
        let service = AnsweringService(
            on: scheduler, [answer(429, ["Retry-After": "60"]), answer(200)])
        let call = stack(retry, over: service.send)(HTTPRequest(.get, url))
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(service.instants == [.zero, .milliseconds(60_010)])
    }

    @Test func aLongerOneGivesTheResponseBack() {
        #expect(
            sent(HTTPRequest(.get, url), answer(429, ["Retry-After": "61"]), answer(200))
                == (1, 429, nil))
    }

    @Test func a404IsNotRepeated() {
        #expect(sent(HTTPRequest(.get, url), answer(404), answer(200)) == (1, 404, nil))
    }

    // MARK: - Hedge

    @Test(arguments: [(HTTPMethod.get, 2), (.post, 1)])
    func onlyWhatMayBeSentTwiceIsHedged(_ method: HTTPMethod, _ count: Int) {
        let service = AnsweringService(
            on: scheduler, latency: .seconds(1), [answer(200), answer(200)])
        let call = stack(
            .hedge(after: .milliseconds(50), on: scheduler), over: service.send)(
                HTTPRequest(method, url))
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(service.requests.count == count)
    }

    // MARK: - Breaker, fallback

    @Test(arguments: [(404, CircuitBreaker.State.closed), (401, .closed), (429, nil), (503, nil)])
    func aBreakerOpensForWhatIsTheServersFaultOnly(
        _ status: Int, _ state: CircuitBreaker.State?
    ) {
        let breaker = CircuitBreaker(failuresInARow: 5, on: scheduler)
        let service = AnsweringService(
            on: scheduler, Array(repeating: answer(status), count: 5))
        let load = stack(.circuitBreaker(breaker), over: service.send)
        for _ in 1...5 {
            _ = load(HTTPRequest(.get, url))
            scheduler.advance(by: .milliseconds(10))
        }
        if let state {
            #expect(breaker.state == state)
        } else {
            #expect(breaker.state != .closed)
        }
    }

    @Test func aFallbackTakesThePlaceOf503ButNotOf404() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(404)])
        let load = stack(
            .fallback(HTTPResponse(status: 203)), over: service.send)
        let calls = [load(HTTPRequest(.get, url)), load(HTTPRequest(.get, url))]
        scheduler.run()
        #expect(calls.map { $0.valueNow?.status } == [203, 404])
    }
}

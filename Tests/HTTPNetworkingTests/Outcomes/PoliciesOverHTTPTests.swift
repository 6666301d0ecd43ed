import Foundation
import HTTPTestSupport
import PledgeAdmission
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeObservation
import PledgeServices
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
        .retry(Retry(backoff: .constant(.milliseconds(100))), on: scheduler)
    }

    /// How often a retry sends a request, and the result.
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
        #expect(!request.isConsumed)
        #expect(sent(request, opening, answer(200)) == (1, nil, .cannotConnect))
        #expect(request.isConsumed)
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
            on: scheduler, [answer(429, ["Retry-After": "10"]), answer(200)])
        let call = stack(retry, over: service.send)(HTTPRequest(.get, url))
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(service.instants.count == 2)
        // The retry adds up to a tenth.
        #expect((.milliseconds(10_010) ... .milliseconds(11_010)).contains(service.instants[1]))
    }

    @Test func aRetryAfterThatIsTooLongGivesTheResponseBack() {
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
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: service.send)(
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
        let breaker = CircuitBreaker(failuresInARow: 5, lasting: .zero, on: scheduler)
        let service = AnsweringService(
            on: scheduler, Array(repeating: answer(status), count: 5))
        let load = stack(.circuitBreaker(sharing: breaker), over: service.send)
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

    @Test func aFallbackSeesAnErrorThatARejectionWasMadeOf() {
        let service = AnsweringService(on: scheduler, [answer(404)])
        let load = stack(
            .fallback(HTTPResponse(status: 203)), .acceptStatus(), over: service.send)
        let call = load(HTTPRequest(.get, url))
        scheduler.run()
        #expect(call.valueNow?.status == 203)
    }

    @Test(
        "a rejection fails the caller, and says that the service is healthy",
        arguments: [404, 401])
    func aRejectionFailsTheCaller(_ status: Int) {
        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let service = AnsweringService(on: scheduler, [answer(status)])
        let load = stack(
            .observed(by: metrics.observer, recorder.observer, on: scheduler),
            .circuitBreaker(sharing: breaker), .acceptStatus(), over: service.send)
        _ = load(HTTPRequest(.get, url))
        scheduler.run()
        let text = metrics.prometheusText
        #expect(text.contains(#"_duration_seconds_count{call="call",outcome="failure"} 1"#))
        #expect(text.contains(#"pledge_call_health_total{call="call",health="healthy"} 1"#))
        let waterfall = recorder.lastCall?.waterfall() ?? ""
        #expect(waterfall.contains("failure") && waterfall.contains("health=healthy"))
        #expect(breaker.state == .closed)
    }

    @Test func aCallersMistakeIsNotRepeatedAndOpensNoBreaker() {
        struct Product: Decodable { var name: String }
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let mistakes: [@Sendable () throws -> HTTPResponse] = [
            { throw Endpoint.Error.invalidHeader(name: "X-A") },
            { throw FileError(operation: "open", code: 2) },
            { throw HTTPError(code: .bodyUnreadable) },
            { throw HTTPError(code: .malformedMultipart) },
            {
                _ = try JSONDecoder().decode(Product.self, from: Data("[]".utf8))
                return HTTPResponse(status: 200)
            },
        ]
        for mistake in mistakes {
            let service = AnsweringService(on: scheduler, [mistake, answer(200)])
            let call = stack(retry, .circuitBreaker(sharing: breaker), over: service.send)(
                HTTPRequest(.get, url))
            scheduler.run()
            #expect(service.requests.count == 1)
            #expect(call.result != nil && call.valueNow == nil)
        }
        #expect(breaker.state == .closed)
    }

    @Test(arguments: [0, 5])
    func aCallersOwnDeadlineOpensNoBreaker(milliseconds: Int) {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let service = AnsweringService(
            on: scheduler, Array(repeating: answer(200), count: 4))
        let patient = stack(
            .circuitBreaker(sharing: breaker), .timeout(.seconds(2), on: scheduler),
            over: service.send)
        let inner = stack(
            .circuitBreaker(sharing: breaker),
            .deadline(.milliseconds(milliseconds), on: scheduler),
            over: service.send)
        let calls = [
            stack(.deadline(.milliseconds(milliseconds), on: scheduler), over: patient), inner,
        ].map { $0(HTTPRequest(.get, url)) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == nil })
        #expect(breaker.state == .closed)
    }

    @Test func theRefusalOfAnInnerLimiterOpensNoOuterBreaker() {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let service = AnsweringService(on: scheduler, [answer(200)])
        let load = stack(
            .circuitBreaker(sharing: breaker),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: scheduler)),
            over: service.send)
        let calls = [load(HTTPRequest(.get, url)), load(HTTPRequest(.get, url))]
        scheduler.run()
        #expect(calls[1].valueNow == nil)
        #expect(breaker.state == .closed)
    }
}

#if Observability
import InMemoryTracing
import Metrics
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Synchronization
import Testing
import Tracing

/// A call with several attempts, in the caller's trace.
struct OpenTelemetryCallTests {
    private let tracer = InMemoryTracer()
    private let scheduler = ManualScheduler()
    private let url = URL(string: "https://api.example.com/")!

    /// Calls a stack whose transport fails several times before it answers, on virtual time.
    private func call(
        failing failures: Int, named name: (@Sendable (HTTPRequest) -> String)? = nil,
        _ policy: Middleware<HTTPRequest, HTTPResponse>
    ) -> Future<HTTPResponse> {
        let sent = Sent()
        let transport: HTTPService = { [scheduler] request in
            let number = sent.count.wrappingAdd(1, ordering: .relaxed).newValue
            let result: Result<HTTPResponse, any Error> =
                number <= failures
                ? .failure(HTTPError(code: .connectionLost, request: request))
                : .success(HTTPResponse(status: 200))
            return Future(value: ()).delay(.milliseconds(10), on: scheduler)
                .flatMap { Future(result: result) }
        }
        let service = stack(
            .openTelemetryCall(named: name, tracer: tracer, on: scheduler), policy,
            .openTelemetry(
                tracer: tracer, metrics: NOOPMetricsHandler.instance, on: scheduler),
            over: transport)
        return service(HTTPRequest(url))
    }

    private var retry: Middleware<HTTPRequest, HTTPResponse> {
        .retry(Retry(backoff: .constant(.milliseconds(15))), on: scheduler)
    }

    @Test func makesASpanOfEachAttemptAndNoneAround() throws {
        let caller = tracer.startSpan("caller")
        let future = ServiceContext.withValue(caller.context) { call(failing: 2, retry) }
        // The second and third attempts are made from a timer, with no ServiceContext or with another one.
        scheduler.advance(by: .milliseconds(30))
        ServiceContext.withValue(tracer.startSpan("other").context) { scheduler.run() }
        #expect(try future.result?.get().status == 200)
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET", "GET", "GET"])
        #expect(spans.map(\.parentSpanID) == Array(repeating: caller.spanID, count: 3))
        #expect(
            spans.map { $0.attributes.shown["http.request.resend_count"] }
                == [nil, "Int 1", "Int 2"])
        #expect(spans.map { $0.status?.code } == [.error, .error, nil])
    }

    @Test func tellsWhatPoliciesDoAsEventsOfTheCallersSpan() throws {
        let caller = tracer.startSpan("caller")
        let future = ServiceContext.withValue(caller.context) { call(failing: 1, retry) }
        scheduler.run()
        #expect(future.result != nil)
        #expect(caller.events.map(\.name) == ["retry.retrying"])
        #expect(
            caller.events.first?.attributes.shown == [
                "pledge.attempt": "Int 1", "pledge.after_ms": "15", "pledge.error": "HTTPError",
                "pledge.code": "connectionLost",
            ])
    }

    @Test func makesASpanAroundTheAttemptsWhereItIsNamed() throws {
        let future = call(failing: 1, named: { _ in "load product" }, retry)
        #expect(tracer.activeSpans.map(\.operationName).sorted() == ["GET", "load product"])
        scheduler.run()
        #expect(future.result != nil)
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET", "GET", "load product"])
        let call = spans[2]
        #expect(call.kind == .internal)
        #expect(call.status == nil)
        #expect(call.events.map(\.name) == ["retry.retrying"])
        #expect(spans.prefix(2).map(\.parentSpanID) == [call.spanID, call.spanID])
    }

    @Test func takesTheFailureOfACallForAnError() throws {
        let future = call(failing: 3, named: { _ in "load product" }, retry)
        scheduler.run()
        #expect(throws: HTTPError.self) { try future.result?.get() }
        let call = try #require(tracer.finishedSpans.last)
        #expect(call.status == SpanStatus(code: .error))
        #expect(
            call.events.map(\.name) == ["retry.retrying", "retry.retrying", "retry.retry_withheld"])
        #expect(call.errors.isEmpty)
    }

    @Test func takesNoCallThatIsGivenUpForAnError() throws {
        let future = call(failing: 3, named: { _ in "load product" }, retry)
        future.cancel()
        #expect(tracer.finishedSpans.map(\.operationName).sorted() == ["GET", "load product"])
        #expect(tracer.finishedSpans.map(\.status) == [nil, nil])
    }

    @Test func tellsOfABreakerThatOpensAndRefuses() throws {
        let breaker = CircuitBreaker(named: "api", failuresInARow: 1, lasting: .zero, on: scheduler)
        let caller = tracer.startSpan("caller")
        for _ in 0..<2 {
            let future = ServiceContext.withValue(caller.context) {
                call(failing: 9, .circuitBreaker(sharing: breaker))
            }
            scheduler.advance(by: .milliseconds(10))
            #expect(future.result != nil)
        }
        #expect(
            caller.events.map(\.name) == ["circuitBreaker.state_changed", "circuitBreaker.refused"])
        #expect(caller.events.first?.attributes.shown["pledge.to"] == "open")
        #expect(caller.events.first?.attributes.shown["pledge.policy_name"] == "api")
        #expect(tracer.finishedSpans.count == 1)
    }

    @Test func tellsOfAHedge() throws {
        let caller = tracer.startSpan("caller")
        let hedge = Middleware<HTTPRequest, HTTPResponse>.hedge(
            sharing: Hedge(after: .milliseconds(5), maxExtraLoad: 1, on: scheduler))
        let future = ServiceContext.withValue(caller.context) { call(failing: 0, hedge) }
        scheduler.run()
        #expect(try future.result?.get().status == 200)
        #expect(caller.events.map(\.name).first == "hedge.hedged")
        #expect(tracer.finishedSpans.map(\.parentSpanID) == [caller.spanID, caller.spanID])
        #expect(
            tracer.finishedSpans.compactMap { $0.attributes.shown["error.type"] }
                == ["CancellationError"])
    }

    @Test func tellsNothingWithoutASpan() throws {
        let future = call(failing: 0, retry)
        scheduler.run()
        #expect(try future.result?.get().status == 200)
        #expect(tracer.finishedSpans.map(\.parentSpanID) == [nil])
    }
}

private final class Sent: Sendable {
    let count = Atomic<Int>(0)
}
#endif

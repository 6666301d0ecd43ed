import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@Suite struct TracePropagationTests {
    private typealias Part = Middleware<HTTPRequest, HTTPResponse>

    private let scheduler = ManualScheduler()
    private let random = RandomSource(SeededGenerator(seed: 11))
    private let url = URL(string: "https://a.example/1")!
    private let trace: TraceContext

    init() throws {
        trace = try #require(
            TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                tracestate: ["rojo=00f067aa0ba902b7"]))
    }

    /// The requests that arrive if one is sent through a stack within the trace.
    private func sent(
        _ request: HTTPRequest, answers: [Int] = [200], through parts: Part...
    ) -> [HTTPRequest] {
        let service = AnsweringService(
            on: scheduler, answers.map { status in { HTTPResponse(status: status) } })
        let middleware = Middleware(stacking: parts)
        _ = CallContext(traceContext: trace).run { middleware(service.send)(request) }
        scheduler.run()
        return service.requests
    }

    /// The span of each request: all requests belong to the trace, and each has its own span.
    private func spans(of requests: [HTTPRequest]) -> [String] {
        let contexts = requests.compactMap { TraceContext($0.headers) }
        #expect(contexts.count == requests.count)
        for context in contexts {
            #expect(context.traceID == trace.traceID)
            #expect(context.state == trace.state && context.isSampled)
        }
        let spans = contexts.map(\.spanID)
        #expect(Set(spans + [trace.spanID]).count == spans.count + 1)
        return spans
    }

    // MARK: - What is sent

    @Test func aRequestHasTheTraceAndASpanOfItsOwn() throws {
        let requests = sent(HTTPRequest(url), through: .tracePropagation(random: random))
        #expect(spans(of: requests).count == 1)
        #expect(requests[0].headers.map(\.name) == ["traceparent", "tracestate"])
    }

    @Test func eachAttemptSendsASpanOfItsOwn() {
        let requests = sent(
            HTTPRequest(url), answers: [503, 503, 200],
            through: .retry(Retry(backoff: .constant(.zero)), on: scheduler), .tracePropagation())
        #expect(spans(of: requests).count == 3)
    }

    @Test func eachHedgeSendsASpanOfItsOwn() {
        let requests = sent(
            HTTPRequest(url), answers: [200, 200],
            through: .hedge(
                sharing: Hedge(after: .milliseconds(3), maxExtraLoad: 1, on: scheduler)),
            .tracePropagation())
        #expect(spans(of: requests).count == 2)
    }

    @Test func withoutATraceNothingIsSentOrTold() {
        let (requests, events) = (TestLog<HTTPRequest>(), TestLog<PolicyEvent>())
        let service = stack(
            .observed(by: ServiceObserver { events.append($0) }, on: scheduler),
            .tracePropagation(),
            over: { (request: HTTPRequest) in
                requests.append(request)
                return Future(value: HTTPResponse(status: 200))
            })
        _ = service(HTTPRequest(url, headers: ["tracestate": "a=1"]))
        #expect(requests.elements[0].headers == ["tracestate": "a=1"])
        #expect(events.elements.count == 2)
    }

    @Test func aRequestThatIsTracedAlreadyIsSentAsItIs() {
        let request = HTTPRequest(url, headers: ["TraceParent": "mine", "tracestate": "a=1"])
        #expect(sent(request, through: .tracePropagation()) == [request])
    }

    @Test func aStateWithoutAParentIsReplaced() throws {
        let request = HTTPRequest(url, headers: ["TraceState": "a=1", "tracestate": "b=1"])
        let requests = sent(request, through: .tracePropagation())
        #expect(requests[0].headers.values(for: "tracestate") == ["rojo=00f067aa0ba902b7"])
        let bare = CallContext(traceContext: .newTrace()).run {
            stack(.tracePropagation(), over: { Future<HTTPRequest>(value: $0) })(request)
        }
        #expect(bare.valueNow?.headers.map(\.name) == ["traceparent"])
    }

    // MARK: - Origins

    @Test func anOriginThatIsNotListedGetsNoHeader() throws {
        let listed = HTTPOrigins.origins(of: url)
        for (place, isSent) in [
            ("https://a.example/2", true), ("https://A.example:443/", true),
            ("http://a.example/", false), ("https://b.example/", false),
            ("https://a.example:8443/", false), ("https://a.example.evil.net/", false),
        ] {
            let requests = sent(
                HTTPRequest(try #require(URL(string: place))),
                through: .tracePropagation(to: listed))
            #expect((requests[0].headers["traceparent"] != nil) == isSent, "\(place)")
            #expect((requests[0].headers["tracestate"] != nil) == isSent, "\(place)")
        }
    }

    @Test(arguments: [true, false])
    func eachRequestOfARedirectHasASpanWhereItsOriginIsListed(isListed: Bool) throws {
        let server = ScriptedServer([
            .redirect(to: "/2"), .redirect(to: "https://b.example/3"), HTTPResponse(status: 200),
        ])
        let origins = isListed ? HTTPOrigins.all : .origins(of: url)
        let service = stack(
            .redirect(), .tracePropagation(to: origins, random: random), over: server.send)
        let response = CallContext(traceContext: trace).run { service(HTTPRequest(url)) }.valueNow
        let requests = server.requests
        #expect(requests.map(\.url.path) == ["/1", "/2", "/3"])
        #expect(spans(of: isListed ? requests : Array(requests[..<2])).count == (isListed ? 3 : 2))
        if !isListed { #expect(requests[2].headers.isEmpty) }
        #expect(response?.request == requests[2])
    }

    /// Its name does not mark it as secret, but it must not be sent to another origin.
    @Test func aHeaderSetByHandStaysWithItsOrigin() {
        let server = ScriptedServer([
            .redirect(to: "/2"), .redirect(to: "https://b.example/3"), HTTPResponse(status: 200),
        ])
        let request = HTTPRequest(
            url, headers: ["traceparent": trace.traceparent, "tracestate": "a=1"])
        _ = stack(.redirect(), .tracePropagation(), over: server.send)(request)
        #expect(server.requests.map(\.headers) == [request.headers, request.headers, [:]])
    }

    // MARK: - What is told

    @Test func whatIsBeneathHasTheSpanAndTheObserversHearOfIt() throws {
        let (events, seen) = (TestLog<PolicyEvent>(), TestLog<TraceContext?>())
        let service = stack(
            .observed(by: ServiceObserver { events.append($0) }, on: scheduler),
            .retry(Retry(backoff: .constant(.zero)), on: scheduler),
            .tracePropagation(random: random),
            over: { (request: HTTPRequest) in
                seen.append(CallContext.current.traceContext)
                return Future(value: HTTPResponse(status: seen.elements.count < 2 ? 503 : 200))
            })
        _ = CallContext(traceContext: trace).run { service(HTTPRequest(url)) }
        scheduler.run()
        let told = events.elements.compactMap { event in
            if case .traced(let span, parent: trace.spanID) = event.kind {
                (event, span)
            } else {
                nil
            }
        }
        #expect(told.map(\.1) == seen.elements)
        // The event is in the span of its attempt.
        let attempts = events.elements.filter { event in
            if case .began = event.kind { event.policy == "retry" } else { false }
        }
        #expect(told.map(\.0.span) == attempts.map(\.span))
        #expect(told.map(\.0.policy) == ["tracePropagation", "tracePropagation"])
    }

    @Test func linesAboutExchangesNameTheSpanThatWasSent() throws {
        let lines = TestLog<String>()
        let requests = sent(
            HTTPRequest(url), through: .tracePropagation(random: random),
            .exchangeLog(on: scheduler) { lines.append($0.logLine) })
        let span = spans(of: requests)[0]
        #expect(
            lines.elements == [
                "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=\(span) method=GET"
                    + " url=https://a.example/1 attempt=1 status=200 bytes=0 duration_ms=10"
            ])
    }

    @Test func theTraceIsShownAndWhatOthersWroteIsNot() throws {
        let request = sent(HTTPRequest(url), through: .tracePropagation(random: random))[0]
        let command = request.curlCommand
        #expect(command.contains("--header 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"))
        #expect(command.contains("--header 'tracestate: …'"))
    }
}

@Suite struct TraceContextOfHeadersTests {
    private let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func namesAreReadInAnyCaseAndLinesInTheirOrder() throws {
        let headers: HTTPHeaders = [
            "TraceParent": " \(parent)\t", "TRACESTATE": "rojo=1", "tracestate": "congo=2",
        ]
        let context = try #require(TraceContext(headers))
        #expect(context.traceparent == parent)
        #expect(context.tracestate == "rojo=1,congo=2")
    }

    @Test func aStateWithoutAParentSaysNothing() {
        #expect(TraceContext(["tracestate": "rojo=1"]) == nil)
        #expect(TraceContext([:] as HTTPHeaders) == nil)
    }

    @Test func severalParentsAreInvalid() {
        #expect(TraceContext(["traceparent": parent, "Traceparent": parent]) == nil)
    }
}

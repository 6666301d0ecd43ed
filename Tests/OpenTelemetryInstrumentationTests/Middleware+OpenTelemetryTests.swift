#if Observability
import PledgeFutures
import PledgeHTTPNetworking
import InMemoryTracing
import Metrics
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Testing
import Tracing

/// The span of one request, attribute by attribute.
struct OpenTelemetryTests {
    private let tracer = InMemoryTracer()
    private let metrics = NOOPMetricsHandler.instance

    /// Sends a request by a service beneath the middleware.
    @discardableResult
    private func send(
        _ method: HTTPMethod = .get, _ url: String = "https://api.example.com/products",
        in context: CallContext = CallContext(),
        by answer: @escaping @Sendable (HTTPRequest) -> Future<HTTPResponse>
    ) throws -> Future<HTTPResponse> {
        let service = stack(.openTelemetry(tracer: tracer, metrics: metrics), over: answer)
        let request = HTTPRequest(method, try #require(URL(string: url)))
        return context.run { service(request) }
    }

    private func answering(_ status: Int) -> @Sendable (HTTPRequest) -> Future<HTTPResponse> {
        { _ in Future(value: HTTPResponse(status: status)) }
    }

    @Test func tellsWhatWasAskedAndAnswered() throws {
        try send { request in
            var response = HTTPResponse(status: 200)
            response.timing.connection = ConnectionMetrics()
            response.timing.connection?.protocolVersion = "HTTP/1.1"
            response.timing.connection?.remoteAddress = "[::1]:8080"
            return Future(value: response)
        }
        #expect(
            tracer.attributes == [
                "http.request.method": "GET", "server.address": "api.example.com",
                "server.port": "Int 443", "url.full": "https://api.example.com/products",
                "http.response.status_code": "Int 200", "network.protocol.version": "1.1",
                "network.peer.address": "::1", "network.peer.port": "Int 8080",
            ])
        let span = tracer.finishedSpans[0]
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(span.status == nil)
        #expect(span.events.isEmpty)
    }

    @Test(arguments: [
        ("GET", "GET", "GET", nil), ("QUERY", "QUERY", "QUERY", nil),
        ("PURGE", "HTTP", "_OTHER", "PURGE"), ("get", "HTTP", "_OTHER", "get"),
    ])
    func namesAMethodThatIsNotKnownApart(
        _ method: String, _ name: String, _ told: String, _ original: String?
    ) throws {
        try send(HTTPMethod(rawValue: method), by: answering(200))
        #expect(tracer.finishedSpans.map(\.operationName) == [name])
        #expect(tracer.attributes["http.request.method"] == told)
        #expect(tracer.attributes["http.request.method_original"] == original)
    }

    @Test(arguments: [
        ("http://API.example.com", "api.example.com", "Int 80"),
        ("https://[2001:DB8::1]:8443/", "2001:db8::1", "Int 8443"),
    ])
    func tellsTheServer(_ url: String, _ address: String, _ port: String) throws {
        try send(.get, url, by: answering(200))
        #expect(tracer.attributes["server.address"] == address)
        #expect(tracer.attributes["server.port"] == port)
    }

    @Test func tellsNoSecretOfTheURL() throws {
        let url = "https://me:secret@a.example/b?token=secret&page=2#secret"
        try send(.get, url, by: answering(200))
        #expect(tracer.attributes["url.full"] == "https://…@a.example/b?token=…&page=…")
        #expect(tracer.attributes["server.address"] == "a.example")
    }

    @Test(arguments: [(200, nil), (304, nil), (399, nil), (400, "400"), (404, "404"), (503, "503")])
    func takesAStatusFrom400OnForAnError(_ status: Int, _ type: String?) throws {
        try send(by: answering(status))
        #expect(tracer.attributes["http.response.status_code"] == "Int \(status)")
        #expect(tracer.attributes["error.type"] == type)
        #expect(tracer.finishedSpans[0].status == type.map { _ in SpanStatus(code: .error) })
    }

    @Test func tellsTheCodeOfAnError() throws {
        let future = try send { Future(error: HTTPError(code: .timedOut, request: $0)) }
        #expect(tracer.attributes["error.type"] == "timedOut")
        #expect(tracer.attributes["http.response.status_code"] == nil)
        #expect(tracer.finishedSpans[0].status == SpanStatus(code: .error))
        // Errors are not recorded: a message may contain a secret.
        #expect(tracer.finishedSpans[0].errors.isEmpty)
        #expect(throws: HTTPError.self) { try future.result?.get() }
    }

    @Test func tellsTheStatusThatAnErrorKeeps() throws {
        try send { _ in
            Future(error: HTTPError(code: .bodyTooLarge, response: HTTPResponse(status: 206)))
        }
        #expect(tracer.attributes["error.type"] == "bodyTooLarge")
        #expect(tracer.attributes["http.response.status_code"] == "Int 206")
    }

    @Test func tellsTheTypeOfAnErrorWithoutACode() throws {
        try send { _ in Future(error: Unknown()) }
        #expect(tracer.attributes["error.type"] == "Unknown")
    }

    @Test func takesNoRequestThatIsGivenUpForAFailure() throws {
        let promise = Promise<HTTPResponse>()
        let future = try send { _ in promise }
        #expect(tracer.finishedSpans.isEmpty)
        future.cancel()
        #expect(tracer.attributes["error.type"] == "CancellationError")
        #expect(tracer.finishedSpans.map(\.status) == [nil])
    }

    @Test(arguments: [(1, nil), (2, "Int 1"), (4, "Int 3")])
    func tellsHowOftenItWasSentBefore(_ attempt: Int, _ count: String?) throws {
        try send(in: CallContext(attempt: attempt), by: answering(200))
        #expect(tracer.attributes["http.request.resend_count"] == count)
    }

    @Test func isPartOfTheCallersSpan() throws {
        let caller = tracer.startSpan("caller")
        try ServiceContext.withValue(caller.context) { _ = try send(by: answering(200)) }
        #expect(tracer.finishedSpans[0].parentSpanID == caller.spanID)
        #expect(tracer.finishedSpans[0].traceID == caller.traceID)
    }

    @Test func makesTheSpanTheContextOfWhatIsBeneath() throws {
        try send { _ in
            ServiceContext.current.map { tracer.startSpan("beneath", context: $0).end() }
            return Future(value: HTTPResponse(status: 200))
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["beneath", "GET"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
    }
}

private struct Unknown: Error {}
#endif

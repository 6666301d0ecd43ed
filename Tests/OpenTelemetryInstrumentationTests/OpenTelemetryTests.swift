#if Observability
import InMemoryTracing
import Metrics
import MetricsTestKit
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
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
        #expect(tracer.attributes["url.full"] == "https://…@a.example/b?token=…&page=2")
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

/// The headers that a tracer adds to a request.
struct OpenTelemetryHeadersTests {
    private let tracer = InMemoryTracer()
    private let url = URL(string: "https://api.example.com/")!

    private func headers(
        of request: HTTPRequest, propagatingTo origins: HTTPOrigins = .all
    ) throws -> HTTPHeaders {
        let service: HTTPService = stack(
            .openTelemetry(
                tracer: tracer, metrics: NOOPMetricsHandler.instance, propagatingTo: origins)
        ) { Future(value: HTTPResponse(status: 200, headers: $0.headers)) }
        let response = try #require(try service(request).result?.get())
        // The response has the request as it was sent.
        #expect(response.request?.headers == response.headers)
        return response.headers
    }

    @Test func sendsTheSpanInPlaceOfAnotherOne() throws {
        let request = HTTPRequest(
            url, headers: ["in-memory-span-id": "older", "In-Memory-Span-ID": "old", "X": "1"])
        let sent = try headers(of: request)
        let span = try #require(tracer.finishedSpans.first)
        #expect(
            sent == [
                "in-memory-trace-id": span.traceID, "in-memory-span-id": span.spanID, "X": "1",
            ])
    }

    @Test func sendsNothingToAnotherOrigin() throws {
        let other = try #require(URL(string: "https://other.example"))
        #expect(try headers(of: HTTPRequest(url), propagatingTo: .origins(of: other)).isEmpty)
        #expect(try headers(of: HTTPRequest(other), propagatingTo: .origins(of: other)).count == 2)
        #expect(tracer.finishedSpans.count == 2)
    }
}

/// The span of a streamed response ends with the body.
struct OpenTelemetryStreamTests {
    private let tracer = InMemoryTracer()
    private let metrics = TestMetrics()
    private let scheduler = ManualScheduler()

    private func response() throws -> (HTTPBodyPipe, HTTPStreamedResponse) {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 1 << 10)
        let service: HTTPStreamingService = stack(
            .openTelemetry(tracer: tracer, metrics: metrics, on: scheduler)
        ) { _ in Future(value: HTTPStreamedResponse(status: 200, body: body)) }
        let url = try #require(URL(string: "https://api.example.com/"))
        return (pipe, try #require(try service(HTTPRequest(url)).result?.get()))
    }

    private var durations: [Double] { metrics.recorders.flatMap(\.values) }

    @Test func endsWithTheBody() throws {
        let (pipe, response) = try response()
        scheduler.advance(by: .seconds(2))
        _ = pipe.offer(Data("a".utf8))
        #expect(try response.body.next().result?.get() == Data("a".utf8))
        #expect(tracer.finishedSpans.isEmpty)
        #expect(durations.isEmpty)
        scheduler.advance(by: .milliseconds(500))
        pipe.finish()
        #expect(try response.body.next().result?.get() == .some(nil))
        #expect(tracer.attributes["http.response.status_code"] == "Int 200")
        #expect(tracer.attributes["error.type"] == nil)
        #expect(durations == [2.5])
    }

    @Test func tellsOfABodyThatFails() throws {
        let (pipe, response) = try response()
        pipe.fail(HTTPError(code: .connectionLost))
        #expect(throws: HTTPError.self) { try response.body.next().result?.get() }
        #expect(tracer.attributes["error.type"] == "connectionLost")
        #expect(tracer.attributes["http.response.status_code"] == "Int 200")
        #expect(tracer.finishedSpans[0].status?.code == .error)
    }

    @Test func endsOnceWhereTheBodyIsGivenUp() throws {
        let (pipe, response) = try response()
        response.discardBody()
        response.discardBody()
        #expect(tracer.attributes["error.type"] == "CancellationError")
        #expect(tracer.finishedSpans[0].status == nil)
        #expect(durations.count == 1)
        withExtendedLifetime(pipe) {}
    }

    @Test func endsOnceWhereAChunkIsAwaited() throws {
        let (pipe, response) = try response()
        let chunk = response.body.next()
        response.body.cancel()
        #expect(throws: CancellationError.self) { try chunk.result?.get() }
        #expect(tracer.attributes["error.type"] == "CancellationError")
        #expect(durations.count == 1)
        withExtendedLifetime(pipe) {}
    }

    @Test func endsWhereTheResponseIsReleasedUnread() throws {
        var kept: (HTTPBodyPipe, HTTPStreamedResponse)? = try response()
        #expect(kept != nil)
        #expect(tracer.finishedSpans.isEmpty)
        kept = nil
        #expect(tracer.attributes["error.type"] == "CancellationError")
    }
}

extension SpanAttributes {
    /// Each attribute as text, with the type of one that is no string.
    var shown: [String: String] {
        var all: [String: String] = [:]
        forEach { name, value in
            switch value {
            case .string(let text): all[name] = text
            case .int32(let number): all[name] = "Int \(number)"
            case .int64(let number): all[name] = "Int \(number)"
            default: all[name] = "\(value)"
            }
        }
        return all
    }
}

extension InMemoryTracer {
    /// The attributes of the only span that has ended.
    var attributes: [String: String] {
        let spans = finishedSpans
        return spans.count == 1 ? spans[0].attributes.shown : ["spans": "\(spans.count)"]
    }
}
#endif

#if Observability
import PledgeFutures
import PledgeHTTPNetworking
import InMemoryTracing
import Metrics
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Testing

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
#endif

#if Observability
import PledgeFutures
import PledgeHTTPNetworking
import InMemoryTracing
import Metrics
import MetricsTestKit
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Testing
import Tracing

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
#endif

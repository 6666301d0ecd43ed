#if Observability
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import MetricsTestKit
import PledgeOpenTelemetryInstrumentation
import PledgeServices
import Testing
import Tracing

struct RequestDurationTests {
    private let metrics = TestMetrics()
    private let scheduler = ManualScheduler()

    private func measured(_ method: HTTPMethod, _ result: Result<HTTPResponse, any Error>) throws {
        let service: HTTPService = stack(
            .openTelemetry(tracer: NoOpTracer(), metrics: metrics, on: scheduler)
        ) { [scheduler] _ in
            Future(value: ()).delay(.milliseconds(1250), on: scheduler)
                .flatMap { Future(result: result) }
        }
        let url = try #require(URL(string: "https://me@api.example.com:8443/secret?q=secret"))
        let future = service(HTTPRequest(method, url))
        scheduler.run()
        #expect(future.result != nil)
    }

    private var dimensions: [String] {
        metrics.recorders.flatMap { $0.dimensions.map { "\($0.0)=\($0.1)" } }
    }

    @Test func recordsSecondsByTheRequiredDimensions() throws {
        var response = HTTPResponse(status: 503)
        response.timing.connection = ConnectionMetrics()
        response.timing.connection?.protocolVersion = "HTTP/2"
        try measured(.get, .success(response))
        let recorder = try #require(metrics.recorders.first)
        #expect(metrics.recorders.count == 1)
        #expect(recorder.label == "http.client.request.duration")
        #expect(recorder.values == [1.25])
        #expect(recorder.aggregate)
        #expect(
            dimensions == [
                "http.request.method=GET", "server.address=api.example.com", "server.port=8443",
                "http.response.status_code=503", "error.type=503", "network.protocol.version=2",
            ])
    }

    @Test func leavesOutWhatIsNotKnown() throws {
        try measured("PURGE", .failure(HTTPError(code: .cannotConnect)))
        #expect(
            dimensions == [
                "http.request.method=_OTHER", "server.address=api.example.com",
                "server.port=8443", "error.type=cannotConnect",
            ])
    }

    @Test func advisesTheBoundariesOfTheConvention() {
        #expect(
            RequestDuration.boundaries
                == [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10])
    }
}
#endif

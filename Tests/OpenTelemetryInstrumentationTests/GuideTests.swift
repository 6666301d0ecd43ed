#if Observability
// snippet: OpenTelemetry-packages
import Foundation
import InMemoryTracing
import Logging
import Metrics
import Pledge
import Testing
import Tracing
// end snippet

// snippet: OpenTelemetry-import
import PledgeOpenTelemetryInstrumentation
// end snippet

import InMemoryLogging

/// The code that the guide on OpenTelemetry shows.
struct GuideTests {
    private let server = URL(string: "https://api.example.com")!

    @Test func instrumentsAStack() throws {
        // snippet: OpenTelemetry-stack
        let server = URL(string: "https://api.example.com")!
        let send: HTTPService = { _ in Future(value: HTTPResponse(status: 200)) }
        let service: HTTPService = stack(
            .openTelemetryCall(),
            .redirect(),
            .retry(),
            .openTelemetry(),
            over: send)
        let api = makeNetworking(over: service, base: server)
        // end snippet
        #expect(try api(Endpoint(path: "/products")).result?.get() == Data())
    }

    @Test func instrumentsAClient() async throws {
        let send: HTTPService = { _ in
            Future(value: HTTPResponse(status: ServiceContext.current == nil ? 500 : 200))
        }
        // snippet: OpenTelemetry-client
        var client = HTTPClient(base: server, over: send)
        client.aroundCall = .init(send: .openTelemetryCall(), stream: .openTelemetryCall())
        client.aroundExchange = .init(send: .openTelemetry(), stream: .openTelemetry())
        // end snippet
        #expect(try await client.send(HTTPRequest(server)).status == 200)
    }

    @Test func namesACall() throws {
        let send: HTTPService = { _ in Future(value: HTTPResponse(status: 200)) }
        // snippet: OpenTelemetry-named
        let tracer = InMemoryTracer()
        let service: HTTPService = stack(
            .openTelemetryCall(named: { request in "call \(request.method)" }, tracer: tracer),
            .retry(),
            .openTelemetry(tracer: tracer),
            over: send)
        _ = service(HTTPRequest(server))
        // end snippet
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET", "call GET"])
    }

    // snippet: OpenTelemetry-logger
    func observer(writingTo logger: Logger) -> ServiceObserver {
        .logging(to: logger) { event in
            switch event.kind {
            case .retrying, .stateChanged, .refused: .warning
            default: .debug
            }
        }
    }
    // end snippet

    @Test func writesToALogger() {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "api") { _ in handler }
        logger.logLevel = .debug
        let send: HTTPService = { _ in Future(value: HTTPResponse(status: 200)) }
        let service: HTTPService = stack(
            .observed(by: observer(writingTo: logger)), .retry(), over: send)
        _ = service(HTTPRequest(server))
        #expect(
            handler.entries.map { "\($0.message)" } == [
                "observed began", "retry began", "retry ended", "observed ended",
            ])
    }

    // snippet: OpenTelemetry-test
    @Test func makesASpanOfEachAttempt() throws {
        let tracer = InMemoryTracer()
        let scheduler = ManualScheduler()
        let busy: HTTPService = { _ in Future(value: HTTPResponse(status: 503)) }
        let service: HTTPService = stack(
            .openTelemetryCall(tracer: tracer, on: scheduler),
            .retry(on: scheduler),
            .openTelemetry(
                tracer: tracer, metrics: NOOPMetricsHandler.instance, on: scheduler),
            over: busy)
        let response = service(HTTPRequest(URL(string: "https://api.example.com")!))
        scheduler.run()
        #expect(try response.result?.get().status == 503)
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET", "GET", "GET"])
        #expect(tracer.finishedSpans.allSatisfy { $0.status?.code == .error })
    }
    // end snippet
}
#endif

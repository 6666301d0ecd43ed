// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: observing
import PledgeObservation
// end snippet
// snippet: stubs
import PledgeTesting
// end snippet
import Testing

/// The code of Docs/Guides/Tracing.md, and what it writes.
@Suite struct TracingExamples {
    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    /// Answers everything.
    private let transport = MemoryTransport(routes: [
        .get("/products/:id", answer: .text("pen")), .get("/", answer: .text("hello")),
    ])

    private func HTTPClient(base: URL) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: transport)
    }

    private func HTTPClient(
        base: URL, over transport: some HTTPTransport
    ) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: transport)
    }

    private var headers: [HTTPHeaders] { transport.calls.compactMap { $0.request?.headers } }

    @Test func slot() {
        // snippet: slot
        var client = HTTPClient(base: server)
        client.tracing = .init()
        // end snippet
        _ = client.networking(Endpoint(path: "/products/7"))
        #expect(headers.map { TraceContext($0)?.isSampled } == [true])
    }

    @Test func attempts() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: attempts
        let scheduler = ManualScheduler()
        let busy = MemoryTransport(routes: [
            .get("/products/7", answer: .sequence([.status(503), .text("pen")]))
        ])
        let recorder = CallRecorder()
        var client = HTTPClient(base: server, over: busy)
        client.tracing = .init()
        client.observers = [recorder.observer]
        client.scheduler = scheduler
        // The same IDs each time, for this page.
        client.random = RandomSource(SeededGenerator(seed: 7))

        let product = client.networking(Endpoint(path: "/products/7"))
        scheduler.run()
        for call in busy.calls { print(call.request?.headers["traceparent"] ?? "none") }
        // end snippet
        #expect(try product.settledValue() == Data("pen".utf8))
        #expect(lines.lines.map { $0 + "\n" }.joined() == (try output("traceparents.txt")))
        let drawn = try #require(recorder.lastCall).waterfall(width: 20)
        #expect(drawn == (try output("trace-waterfall.txt")))
    }

    @Test func reading() throws {
        var client = HTTPClient(base: server)
        client.tracing = .init()
        // snippet: handler
        let handle: HTTPService = { [client] request in
            let caller = TraceContext(request.headers)
            return CallContext(traceContext: caller).run {
                client.futures.send(HTTPRequest(server.appending(path: "products/7")))
            }
        }
        // end snippet
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let incoming = HTTPRequest(
            server, headers: ["traceparent": parent, "tracestate": "rojo=00f067aa0ba902b7"])
        #expect(try handle(incoming).settledValue().text == "pen")
        let sent = try #require(TraceContext(headers[0]))
        #expect("\(sent.traceID)" == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect("\(sent.spanID)" != "00f067aa0ba902b7")
        #expect(sent.tracestate == "rojo=00f067aa0ba902b7")
    }

    @Test func origins() {
        var client = HTTPClient(base: server)
        // snippet: origins
        client.tracing = .init(to: .origins(of: server))
        // end snippet
        _ = client.futures.send(HTTPRequest(server))
        _ = client.futures.send(HTTPRequest(URL(string: "https://elsewhere.example/")!))
        #expect(headers.map { $0["traceparent"] != nil } == [true, false])
    }

    @Test func stackOfYourOwn() throws {
        // snippet: stack
        let transport = MemoryTransport(routes: [.get("/", answer: .text("hello"))])
        let service: HTTPService = stack(
            .newTrace(), .redirect(), .retry(), .tracePropagation(to: .origins(of: server)),
            .timeout(.seconds(2)), over: transport.send)
        // end snippet
        #expect(try service(HTTPRequest(server)).settledValue().text == "hello")
        #expect(transport.calls[0].request?.headers["traceparent"] != nil)
    }

    @Test func spans() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        var client = HTTPClient(base: server)
        client.tracing = .init()
        // snippet: spans
        let spans = ServiceObserver { event in
            guard case .traced(let span, let parent) = event.kind else { return }
            let within = parent.map { "\($0)" } ?? "nothing"
            print("span \(span.spanID) of trace \(span.traceID), within \(within)")
        }
        client.observers = [spans]
        // end snippet
        _ = client.networking(Endpoint(path: "/products/7"))
        let sent = try #require(TraceContext(headers[0]))
        #expect(lines.lines.count == 2)
        #expect(lines.lines[0].hasSuffix(" of trace \(sent.traceID), within nothing"))
        #expect(lines.lines[1].hasPrefix("span \(sent.spanID) of trace \(sent.traceID), within "))
    }

    @Test func state() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: state
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        if let caller = TraceContext(traceparent: parent, tracestate: ["rojo=1,congo=2"]) {
            let context = caller.with(state: "3", for: "congo") ?? caller
            print(context.tracestate ?? "none")
        }
        // end snippet
        #expect(lines.lines == ["congo=3,rojo=1"])
    }

    private func output(_ name: String) throws -> String {
        let file = Repository.this.root.appendingPathComponent("Docs/Examples/Outputs/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }
}

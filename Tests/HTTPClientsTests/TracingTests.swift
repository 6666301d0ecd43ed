import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeHTTPClients

/// The slot `tracing` in a whole client.
@Suite(.oneAtATime) struct TracingTests {
    private let server = URL(string: "https://api.example.com/v1")!
    private let scheduler = ManualScheduler()
    private let transport = MemoryTransport(routes: [
        .get("/v1/ok", answer: .text("ok")),
        .get("/v1/busy", answer: .sequence([.status(503), .status(503), .text("ok")])),
        .get(
            "/v1/stored",
            answer: .status(200, headers: ["Cache-Control": "max-age=60", "Vary": "traceparent"])),
        .get(
            "/v1/leave",
            answer: .status(302, headers: ["Location": "https://other.example/v1/ok"])),
        .get("/v1/private", answer: .sequence([.status(401), .text("ok")])),
    ])

    private func client(_ tracing: HTTPClient.Tracing? = .init()) -> HTTPClient {
        var client = HTTPClient(base: server, over: transport)
        client.scheduler = scheduler
        client.random = RandomSource(SeededGenerator(seed: 5))
        client.tracing = tracing
        return client
    }

    private func send(_ path: String, by client: HTTPClient) {
        _ = client.futures.send(HTTPRequest(server.appending(path: path)))
        scheduler.run()
    }

    private var sent: [HTTPRequest] { transport.calls.compactMap(\.request) }

    /// The trace contexts of the requests, each of which has one.
    private func contexts() -> [TraceContext] {
        let contexts = sent.compactMap { TraceContext($0.headers) }
        #expect(contexts.count == sent.count)
        return contexts
    }

    @Test func aClientWithoutTheTracingSlotSendsNoTrace() {
        CallContext(traceContext: .newTrace()).run { send("ok", by: client(nil)) }
        send("ok", by: client(nil))
        #expect(sent.count == 2)
        #expect(sent.allSatisfy { $0.headers["traceparent"] == nil })
        let shared = SharedStates(of: client(nil))
        #expect(!client(nil).stack(sharing: shared).whole.parts.contains { $0.contains("race") })
    }

    @Test func aCallIsATraceAndEachAttemptASpan() {
        let client = client()
        for path in ["busy", "ok"] { send(path, by: client) }
        let contexts = contexts()
        #expect(contexts.count == 4)
        #expect(Set(contexts[..<3].map(\.traceID)).count == 1)
        #expect(contexts[3].traceID != contexts[0].traceID)
        #expect(Set(contexts.map(\.spanID)).count == 4)
        #expect(contexts.allSatisfy { $0.isSampled })
    }

    @Test func aStreamIsTracedAsWell() {
        _ = client().futures.stream(HTTPRequest(server.appending(path: "ok")))
        #expect(contexts().count == 1)
    }

    @Test func aRequestThatIsSentAgainWithANewTokenIsAnotherSpan() {
        var client = client()
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("old", refreshToken: "r")) { _ in
                Future(value: AccessToken("new"))
            })
        send("private", by: client)
        let contexts = contexts()
        #expect(sent.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(Set(contexts.map(\.traceID)).count == 1 && Set(contexts.map(\.spanID)).count == 2)
    }

    @Test func aCallThatIsPartOfATraceStaysInIt() {
        let trace = TraceContext.newTrace(isSampled: false)
        for begins in [true, false] {
            trace.run { send("ok", by: client(.init(beginningTraces: begins))) }
        }
        #expect(contexts().map(\.traceID) == [trace.traceID, trace.traceID])
        #expect(contexts().allSatisfy { !$0.isSampled })
    }

    @Test func aClientBeginsNoTraceIfToldNotTo() {
        send("ok", by: client(.init(beginningTraces: false)))
        #expect(sent[0].headers["traceparent"] == nil)
    }

    @Test func tracesThatAreNotSampledAreSentAsSuch() {
        send("ok", by: client(.init(samplingShare: 0)))
        #expect(contexts().map(\.isSampled) == [false])
    }

    @Test func anOriginThatIsNotListedGetsNoHeaderAlsoAfterARedirect() {
        let client = client(.init(to: .origins(of: server)))
        CallContext(traceContext: .newTrace()).run { send("leave", by: client) }
        #expect(sent.map { $0.url.host() } == ["api.example.com", "other.example"])
        #expect(sent.map { $0.headers["traceparent"] != nil } == [true, false])
        send("leave", by: self.client())
        #expect(sent.suffix(2).allSatisfy { $0.headers["traceparent"] != nil })
    }

    @Test func callsOfDifferentTracesShareWhatIsStored() {
        var client = client()
        client.cache = HTTPCache(on: scheduler)
        for _ in 1...3 { send("stored", by: client) }
        #expect(contexts().count == 1)
    }

    /// It has the context of the first caller, as the Decision on joined calls says.
    @Test func callsOfDifferentTracesAreCoalesced() throws {
        let (answer, requests) = (Promise<HTTPResponse>(), TestLog<HTTPRequest>())
        var client = HTTPClient(base: server) { request in
            requests.append(request)
            return answer
        }
        client.tracing = .init()
        let service: HTTPService = stack(.coalesceSafeRequests(), over: client.futures.send)
        let request = HTTPRequest(server.appending(path: "ok"))
        let traces = [TraceContext.newTrace(), .newTrace()]
        let calls = traces.map { trace in trace.run { service(request) } }
        let sent = requests.elements.map { TraceContext($0.headers)?.traceID }
        #expect(sent == [traces[0].traceID])
        answer.resolve(with: HTTPResponse(status: 200))
        #expect(try calls.map { try $0.settledValue().status } == [200, 200])
    }

    @Test func aRecorderShowsTheTraceAndTheSpanOfEachAttempt() throws {
        let recorder = CallRecorder()
        var client = client()
        client.observers = [recorder.observer]
        send("busy", by: client)
        let drawn = try #require(recorder.lastCall).waterfall(width: 10)
        for context in contexts() {
            #expect(drawn.contains("trace_id=\(context.traceID) span_id=\(context.spanID)"))
        }
        #expect(drawn.split(separator: "\n").count { $0.contains("* traced") } == 4)
    }

    /// Over a socket: the parent of the second server's span is the span that the first server has sent.
    @Test func aServerPassesItsCallersTraceOn() async throws {
        var inner = client()
        inner.tracing = .init(beginningTraces: false)
        let handled = TestLog<TraceContext?>()
        let shop = try LoopbackServer(serving: { [inner, server] request in
            handled.append(TraceContext(request.headers))
            return CallContext(traceContext: TraceContext(request.headers)).run {
                inner.futures.send(HTTPRequest(server.appending(path: "ok")))
            }
        })
        defer { shop.stop() }
        var app = HTTPClient(base: shop.url)
        app.tracing = .init()
        let trace = try #require(
            TraceContext(traceparent: TraceContext.newTrace().traceparent, tracestate: ["rojo=1"]))
        _ = try await trace.run { app.networking(Endpoint(path: "/page")) }.value
        let (first, second) = (try #require(handled.elements.first ?? nil), contexts()[0])
        #expect([first.traceID, second.traceID] == [trace.traceID, trace.traceID])
        #expect(Set([trace, first, second].map(\.spanID)).count == 3)
        #expect(second.tracestate == "rojo=1")
    }
}

extension TraceContext {
    fileprivate func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        try CallContext(traceContext: self).run(body)
    }
}

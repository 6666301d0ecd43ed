import PledgeHTTPNetworking
import PledgeServices
import Testing

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

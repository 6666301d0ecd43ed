#if AsyncHTTPClient && Observability
import AsyncHTTPClient
import Testing
import Tracing

@testable import PledgeAsyncHTTPClientTransport

struct AHCTransportClientTests {
    /// AsyncHTTPClient uses the tracer of `InstrumentationSystem` by itself, including one that does nothing.
    @Test func leavesSpansToTheMiddleware() {
        #expect(HTTPClient.Configuration().tracing.tracer != nil)
        #expect(AHCTransport.Configuration().lowered().tracing.tracer == nil)
    }
}
#endif

#if AsyncHTTPClient && Observability
import AsyncHTTPClient
import Testing
import Tracing

@testable import AsyncHTTPClientTransport

struct AHCTransportClientTests {
    /// AsyncHTTPClient takes the tracer of `InstrumentationSystem` by itself, one that does nothing included.
    @Test func leavesSpansToTheMiddleware() {
        #expect(HTTPClient.Configuration().tracing.tracer != nil)
        #expect(AHCTransport.Configuration().lowered().tracing.tracer == nil)
    }
}
#endif

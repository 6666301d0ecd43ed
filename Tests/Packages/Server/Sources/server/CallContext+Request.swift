// snippet: context
import HTTPTypes
import Hummingbird
import Pledge

extension CallContext {
    /// What a caller says of its call: how long it waits, and to which trace the call belongs.
    init(of request: Request) {
        func value(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { request.headers[$0] }
        }
        let milliseconds = value("Request-Timeout").flatMap { Int($0) } ?? 10_000
        let trace = value("traceparent").flatMap {
            TraceContext(traceparent: $0, tracestate: value("tracestate").map { [$0] } ?? [])
        }
        self = CallContext(deadline: CallDeadline(after: .milliseconds(milliseconds)))
            .with(traceContext: trace)
    }
}
// end snippet

#if Observability
import PledgeFutures
import PledgeHTTPNetworking
import Metrics
import PledgeServices
import Tracing

/// The span and the measurement of one request that is sent, until both end.
final class ClientSpan: ExchangeListener {
    /// The context for the spans beneath.
    var context: ServiceContext { span.context }

    private struct State {
        var status: Int?
        var connection: ConnectionMetrics?
        var hasEnded = false
    }

    private let span: any Span
    private let request: RequestAttributes
    private let metrics: (any MetricsFactory)?
    private let start: SchedulerInstant
    private let now: @Sendable () -> SchedulerInstant
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, tracer: (any Tracer)?, metrics: (any MetricsFactory)?,
        now: @escaping @Sendable () -> SchedulerInstant
    ) {
        let call = CallContext.current
        let attributes = RequestAttributes(request)
        let parent = call.carried as? ServiceContext ?? .current ?? .topLevel
        span = (tracer ?? InstrumentationSystem.tracer).startSpan(
            attributes.spanName, context: parent, ofKind: .client)
        self.request = attributes
        self.metrics = metrics
        self.now = now
        start = now()
        guard span.isRecording else { return }
        span.updateAttributes { attributes.add(to: &$0, request, attempt: call.attempt) }
    }

    /// Notes the head of the response.
    func answer(_ response: some HTTPResponseHead) {
        state.withLock {
            $0.status = response.status
            $0.connection = response.timing.connection
        }
    }

    /// Ends the span and records the duration; only the first call has an effect.
    func end(with error: (any Error)?) {
        let last = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let last else { return }
        let answered = (error as? HTTPError)?.response
        let ending = RequestEnding(
            status: last.status ?? answered?.status,
            connection: last.connection ?? answered?.timing.connection, error: error)
        if span.isRecording {
            span.updateAttributes { ending.add(to: &$0) }
            if ending.isFailure { span.setStatus(SpanStatus(code: .error)) }
        }
        span.end()
        RequestDuration.record(
            start.duration(to: now()), request.dimensions + ending.dimensions, by: metrics)
    }
}
#endif

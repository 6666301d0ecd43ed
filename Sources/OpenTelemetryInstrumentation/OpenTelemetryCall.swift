#if Observability
public import PledgeFutures
public import PledgeServices
public import Tracing

extension Middleware {
    /// Makes the caller's span the parent of the spans of a call's attempts, and adds policy events to that parent.
    ///
    /// ```swift
    /// let service = stack(
    ///     .openTelemetryCall(), .redirect(), .retry(), .openTelemetry(), over: transport.send)
    /// ```
    ///
    /// **Place.** Put it outermost. It keeps the `ServiceContext` of the code that makes the call. Without this
    /// middleware, a later attempt would have no such context, because it starts from a timer or a callback.
    ///
    /// **Events.** Each event of the policies below, such as `retry.retrying`, `hedge.hedged` or
    /// `circuitBreaker.state_changed`, becomes an event of the caller's span. The tracer must be able to find that
    /// span with `activeSpan`; with any other tracer, no event is added. See ``ServiceObserver/spanEvents(on:)``.
    ///
    /// **A span around the attempts.** OpenTelemetry doesn't ask for such a span. If you pass a name, the middleware
    /// creates a span of the kind INTERNAL. This span gets the events, and the attempts are its children. It ends when
    /// the future settles, which is before the body of a streamed response has arrived.
    ///
    /// - Parameters:
    ///   - name: Returns the name of a span around the attempts of a call; nil for no such span. The name must not
    ///     hold secrets.
    ///   - tracer: The tracer that creates and finds the spans. With nil, the tracer of `InstrumentationSystem`,
    ///     looked up for each call.
    ///   - scheduler: The clock of the policy events. Observers below in the stack get instants of this clock, too.
    public static func openTelemetryCall(
        named name: (@Sendable (Input) -> String)? = nil, tracer: (any Tracer)? = nil,
        on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        Middleware(named: "openTelemetryCall") { service in
            { input in
                let tracer = tracer ?? InstrumentationSystem.tracer
                let caller = ServiceContext.current ?? .topLevel
                let own = name.map {
                    tracer.startSpan($0(input), context: caller, ofKind: .internal)
                }
                let span = own ?? tracer.activeSpan(identifiedBy: caller)
                let context = own?.context ?? caller
                let told =
                    span.map { Self.observed(by: .spanEvents(on: $0), on: scheduler)(service) }
                    ?? service
                let future = ServiceContext.withValue(context) {
                    CallContext.current.with(carried: context).run { told(input) }
                }
                guard let own else { return future }
                return future.onEnd { result in
                    if case .failure(let error) = result, !(error is CancellationError) {
                        own.setStatus(SpanStatus(code: .error))
                    }
                    own.end()
                }
            }
        }
    }
}

extension ServiceObserver {
    /// Adds the events of policies to a span.
    ///
    /// An event has a name like `retry.retrying`. Its attributes are the facts of a log line: `pledge.attempt`,
    /// `pledge.policy_name`, and the event's own facts, such as `pledge.after_ms` and `pledge.error`. The beginnings
    /// and ends of attempts are left out, because attempts have their own spans. An error appears as its type and its
    /// code.
    ///
    /// - Parameter span: The span. No event is added after it has ended.
    public static func spanEvents(on span: any Span) -> ServiceObserver {
        ServiceObserver { event in
            switch event.kind {
            case .began, .ended: break
            default: if span.isRecording { span.addEvent(SpanEvent(event)) }
            }
        }
    }
}

extension SpanEvent {
    fileprivate init(_ event: PolicyEvent) {
        var attributes: SpanAttributes = [:]
        attributes["pledge.attempt"] = event.attempt
        for fact in event.facts { attributes["pledge.\(fact.key)"] = fact.value }
        self.init(name: "\(event.policy).\(event.kind.word)", attributes: attributes)
    }
}
#endif

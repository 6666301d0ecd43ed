#if Observability
public import PledgeServices
public import Tracing

extension ServiceObserver {
    /// Adds the events of policies to a span.
    ///
    /// An event has a name like `retry.retrying`. Its attributes are those of a log line: `pledge.attempt`,
    /// `pledge.policy_name`, and what belongs to the event, such as `pledge.after_ms` and `pledge.error`.
    /// Beginnings and ends of attempts are not added, since the attempts have spans. An error appears as its
    /// type and its code.
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

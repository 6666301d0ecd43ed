/// One property of an event as text: a key and a value.
package struct EventFact: Hashable, Sendable {
    package let key: String
    package let value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }

    /// A duration in milliseconds.
    package init(_ key: String, milliseconds duration: Duration) {
        self.init(key, duration.decimal(in: .millisecond))
    }
}

extension EventFact {
    /// The loggable properties of an error: its type, and its code if it has one.
    package static func facts(of error: (any Error)?) -> [EventFact] {
        guard let error else { return [] }
        let type = EventFact("error", "\(type(of: error))")
        guard let coded = error as? any CodedError else { return [type] }
        return [type, EventFact("code", coded.loggedCode)]
    }
}

extension EventFact {
    /// The IDs of a span in a distributed trace, by the names that OpenTelemetry gives them in logs.
    package static func facts(
        of context: TraceContext, within parent: TraceContext.SpanID? = nil
    ) -> [EventFact] {
        [EventFact("trace_id", "\(context.traceID)"), EventFact("span_id", "\(context.spanID)")]
            + (parent.map { [EventFact("parent_span_id", "\($0)")] } ?? [])
    }
}

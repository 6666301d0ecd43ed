import PledgeFutures

extension ServiceObserver {
    /// Writes a line of text for each event.
    ///
    /// ```swift
    /// let api = stack(.observed(by: .logging { line in logger.info("\(line)") }), over: transport)
    /// ```
    ///
    /// - Parameters:
    ///   - isLogged: Which events are written; all, if left out.
    ///   - write: Called with ``PolicyEvent/logLine``, without a newline, on any thread, also on several at
    ///     the same time. It should return quickly: the call waits.
    public static func logging(
        where isLogged: @escaping @Sendable (PolicyEvent) -> Bool = { _ in true },
        _ write: @escaping @Sendable (_ line: String) -> Void
    ) -> ServiceObserver {
        ServiceObserver { event in if isLogged(event) { write(event.logLine) } }
    }
}

extension PolicyEvent {
    /// The event in one line: keys and values, like
    /// `call=7 span=2 parent=1 attempt=1 at_ms=110 policy=retry event=ended outcome=success latency_ms=10`.
    ///
    /// The first keys are always the same, in this order, except that `parent` is absent without a
    /// parent span. The others depend on the event, and the first of them is `policy_name` if the
    /// policy's state has a name. Durations are in milliseconds, exact to the nanosecond; `at_ms`
    /// counts from the scheduler's origin. A value that is empty, or holds a space, a quote, a
    /// backslash, an equals sign, or an invisible character, is a JSON string, so that every event
    /// is one line. An error is written as its type, and its code if it is a ``CodedError``; inputs
    /// and outputs are not written.
    public var logLine: String { lineFacts.map(\.text).joined(separator: " ") }

    /// The keys and values of ``logLine``.
    package var lineFacts: [EventFact] {
        var facts = [EventFact("call", "\(call)"), EventFact("span", "\(span)")]
        if let parent { facts.append(EventFact("parent", "\(parent)")) }
        facts += [
            EventFact("attempt", "\(attempt)"), EventFact("at_ms", milliseconds: instant.offset),
            EventFact("policy", policy), EventFact("event", kind.word),
        ]
        return facts + self.facts
    }
}

extension EventFact {
    /// The key and the value with an equals sign between.
    package var text: String { "\(key)=\(value.needsQuotes ? value.quoted : value)" }
}

extension String {
    fileprivate var needsQuotes: Bool {
        isEmpty
            || unicodeScalars.contains {
                !$0.isPlain || $0.properties.isWhitespace || $0 == "\"" || $0 == "=" || $0 == "\\"
            }
    }
}

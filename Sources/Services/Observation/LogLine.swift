import PledgeFutures

extension ServiceObserver {
    /// Returns an observer that writes a line of text for each event.
    ///
    /// ```swift
    /// let api = stack(.observed(by: .logging { line in logger.info("\(line)") }), over: transport)
    /// ```
    ///
    /// - Parameters:
    ///   - isLogged: Returns whether to write an event. By default, all events are written.
    ///   - write: Called with ``PolicyEvent/logLine``, without a newline, on any thread, and on several at the same
    ///     time. It should return quickly, because the call waits for it.
    public static func logging(
        where isLogged: @escaping @Sendable (PolicyEvent) -> Bool = { _ in true },
        _ write: @escaping @Sendable (_ line: String) -> Void
    ) -> ServiceObserver {
        ServiceObserver { event in if isLogged(event) { write(event.logLine) } }
    }
}

extension PolicyEvent {
    /// The event as one line of keys and values.
    ///
    /// An example is
    /// `call=7 span=2 parent=1 attempt=1 at_ms=110 policy=retry event=ended outcome=success latency_ms=10`.
    ///
    /// The keys up to `event` are always the same, in this order, except that `parent` is missing if the span has no
    /// parent. The other keys depend on the event. They begin with `policy_name` if the policy's state has a name.
    ///
    /// Durations are in milliseconds, exact to the nanosecond. `at_ms` counts from the scheduler's origin. A value
    /// becomes a JSON string if it is empty, or has a space, a quote, a backslash, an equals sign, or an invisible
    /// character. So every event is one line.
    ///
    /// An error is written as its type, and its code if it is a ``CodedError``. Inputs and outputs aren't written.
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
    /// The key and the value, with an equals sign between them.
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

extension PolicyEvent.Kind {
    /// The action, in one word.
    package var word: String {
        switch self {
        case .began: "began"
        case .ended: "ended"
        case .retrying: "retrying"
        case .retryWithheld: "retry_withheld"
        case .timedOut: "timed_out"
        case .hedged: "hedged"
        case .hedgeWon: "hedge_won"
        case .hedgeLost: "hedge_lost"
        case .stateChanged: "state_changed"
        case .refused: "refused"
        case .bypassed: "bypassed"
        case .queued: "queued"
        case .dequeued: "dequeued"
        case .coalesced: "coalesced"
        case .hit: "hit"
        case .miss: "miss"
        case .fellBack: "fell_back"
        case .injectedLatency: "injected_latency"
        case .injectedOutcome: "injected_outcome"
        case .traced: "traced"
        case .note: "note"
        }
    }

    /// Further properties of the action.
    ///
    /// They contain no input, and only the type and the code of errors.
    var facts: [EventFact] {
        switch self {
        case .began(let name): [EventFact("name", name)]
        case .ended(let outcome, let latency, let error):
            outcome.facts + [EventFact("latency_ms", milliseconds: latency)]
                + EventFact.facts(of: error)
        case .retrying(let delay, let error):
            [EventFact("after_ms", milliseconds: delay)] + EventFact.facts(of: error)
        case .retryWithheld(let reason): [EventFact("reason", reason)]
        case .timedOut(let duration), .hedged(let duration), .dequeued(let duration):
            [EventFact("after_ms", milliseconds: duration)]
        case .hedgeWon(let number), .hedgeLost(let number): [EventFact("number", "\(number)")]
        case .stateChanged(let old, let new): [EventFact("from", old), EventFact("to", new)]
        case .refused(let error):
            EventFact.facts(of: error)
                + (error.retryAfter.map { [EventFact("retry_after_ms", milliseconds: $0)] } ?? [])
        case .queued(let length): [EventFact("length", "\(length)")]
        case .coalesced(let callers): [EventFact("callers", "\(callers)")]
        case .fellBack(let error): EventFact.facts(of: error)
        case .injectedLatency(let delay): [EventFact("latency_ms", milliseconds: delay)]
        case .traced(let context, let parent): EventFact.facts(of: context, within: parent)
        case .note(let text): [EventFact("text", text)]
        case .hit, .miss, .bypassed, .injectedOutcome: []
        }
    }

    /// The variant of the action, if metrics count its variants separately; empty otherwise.
    ///
    /// There are only a few different values.
    package var reason: String {
        switch self {
        case .retryWithheld(let reason): reason
        case .stateChanged(_, let new): new
        case .refused(let error): error.code.rawValue
        default: ""
        }
    }
}

extension Outcome {
    /// The outcome in one word.
    package var label: String {
        switch retry {
        case _ where isSuccess: "success"
        case .after: "retryable"
        case .never: isFailure ? "failure" : "ignorable"
        }
    }

    /// The health, or nil if the outcome's word already implies it.
    fileprivate var furtherHealth: Health? {
        let implied: Health = isSuccess ? .healthy : isFailure ? .unhealthy : .unknown
        return health == implied ? nil : health
    }

    fileprivate var facts: [EventFact] {
        let outcome = EventFact("outcome", label)
        guard case .after(let asked?) = retry, !isSuccess else { return [outcome] }
        return [outcome, EventFact("asked_ms", milliseconds: asked)]
    }
}

extension PolicyEvent {
    /// The properties of the event besides its action.
    package var facts: [EventFact] {
        var facts = kind.facts
        if let policyName { facts.insert(EventFact("policy_name", policyName), at: 0) }
        if case .ended(let outcome, _, _) = kind, let health = outcome.furtherHealth {
            facts.append(EventFact("health", "\(health)"))
        }
        if isUnproven { facts.append(EventFact("unproven", "true")) }
        return facts
    }
}

/// One property of an event as text: a key and a value.
package struct EventFact: Hashable, Sendable {
    package let key: String
    package let value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }

    /// Creates a fact from a duration, in milliseconds.
    package init(_ key: String, milliseconds duration: Duration) {
        self.init(key, duration.decimal(in: .millisecond))
    }
}

extension EventFact {
    /// Returns the loggable properties of an error: its type, and its code if it has one.
    package static func facts(of error: (any Error)?) -> [EventFact] {
        guard let error else { return [] }
        let type = EventFact("error", "\(type(of: error))")
        guard let coded = error as? any CodedError else { return [type] }
        return [type, EventFact("code", coded.loggedCode)]
    }
}

extension EventFact {
    /// Returns the IDs of a span in a distributed trace, with the names that OpenTelemetry uses in logs.
    package static func facts(
        of context: TraceContext, within parent: String? = nil
    ) -> [EventFact] {
        [EventFact("trace_id", context.traceID), EventFact("span_id", context.spanID)]
            + (parent.map { [EventFact("parent_span_id", $0)] } ?? [])
    }
}

import PledgeFutures

extension PolicyEvent.Kind {
    /// The action, in a word.
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
    /// No input, and only the type and the code of errors.
    var facts: [EventFact] {
        switch self {
        case .began(let name): [EventFact("name", name)]
        case .ended(let outcome, let latency, let error):
            outcome.facts + [EventFact("latency_ms", milliseconds: latency)]
                + EventFact.facts(of: error)
        case .retrying(let delay, let error):
            [EventFact("after_ms", milliseconds: delay)] + EventFact.facts(of: error)
        case .retryWithheld(let reason): [EventFact("reason", reason.rawValue)]
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

    /// The variant of the action, if it is counted separately; few values.
    var reason: String {
        switch self {
        case .retryWithheld(let reason): reason.rawValue
        case .stateChanged(_, let new): new
        case .refused(let error): error.code.rawValue
        default: ""
        }
    }
}

extension Outcome {
    /// The outcome in a word.
    var label: String {
        switch retry {
        case _ where isSuccess: "success"
        case .after: "retryable"
        case .never: isFailure ? "failure" : "ignorable"
        }
    }

    /// The health, unless the word implies it.
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
    /// The properties of the event besides the action.
    package var facts: [EventFact] {
        var facts = kind.facts
        if let policyName { facts.insert(EventFact("policy_name", policyName), at: 0) }
        if case .ended(let outcome, _, _) = kind, let health = outcome.furtherHealth {
            facts.append(EventFact("health", health.rawValue))
        }
        if isUnproven { facts.append(EventFact("unproven", "true")) }
        return facts
    }

    /// The policy that reports the spans of whole calls.
    static let callPolicy = "observed"
}

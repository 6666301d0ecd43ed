import PledgeFutures

/// The part of an event that a recorder keeps: texts and numbers only, of bounded length.
///
/// The event itself may hold an error with a whole response.
struct RecordedEvent: Sendable {
    enum Kind: Sendable {
        case began(name: String)
        case ended(outcome: String, facts: [EventFact])
        case mark(word: String, facts: [EventFact])
    }

    /// The longest text that is kept, in Unicode scalars.
    static let longest = 200

    let kind: Kind
    let policy: String
    let instant: SchedulerInstant
    let call: UInt64
    let span: Int
    let parent: Int?
    let attempt: Int

    init(_ event: PolicyEvent) {
        let facts = event.facts.map { EventFact($0.key, $0.value.cut(to: Self.longest)) }
        switch event.kind {
        case .began(let name): kind = .began(name: name.cut(to: Self.longest))
        case .ended(let outcome, _, _):
            // The latency is left out: it is the difference of the instants.
            let rest = facts.filter { $0.key != "outcome" && $0.key != "latency_ms" }
            kind = .ended(outcome: outcome.label, facts: rest)
        default: kind = .mark(word: event.kind.word, facts: facts)
        }
        policy = event.policy.cut(to: Self.longest)
        instant = event.instant
        call = event.call
        span = event.span
        parent = event.parent
        attempt = event.attempt
    }
}

import PledgeFutures

/// One call in a ``CallRecorder``: its spans and their marks.
public struct RecordedCall {
    /// The number of the call in this process, as in ``PolicyEvent/call``.
    public let number: UInt64

    /// The name of the first span.
    public var name: String { spans.first?.name ?? "call" }

    /// Whether every span that began has ended.
    public var isOver: Bool { spans.allSatisfy { $0.end != nil } }

    /// How many events were dropped because of the recorder's limit for a call.
    public private(set) var eventsDropped = 0

    /// A part of the call.
    struct Span: Sendable {
        let number: Int
        let parent: Int?
        let policy: String
        let name: String
        let attempt: Int
        let start: SchedulerInstant
        /// Nil while it is under way.
        var end: SchedulerInstant?
        var outcome = ""
        var facts: [EventFact] = []
        /// How many spans and marks were kept before it.
        let order: Int
    }

    /// An event within a span.
    struct Mark: Sendable {
        let span: Int
        let policy: String
        let word: String
        let facts: [EventFact]
        let instant: SchedulerInstant
        let order: Int
    }

    /// In the order in which their beginnings were received.
    private(set) var spans: [Span] = []
    private(set) var marks: [Mark] = []
    /// The places of the spans, by their numbers.
    private var places: [Int: Int] = [:]

    init(number: UInt64) { self.number = number }
}

extension RecordedCall {
    /// Adds an event of this call.
    ///
    /// A second beginning of a span, and an end without a beginning or after an end, change nothing: an
    /// observer may be used twice.
    ///
    /// - Parameter limit: The largest number of spans and marks; further ones are only counted.
    mutating func add(_ event: RecordedEvent, limit: Int) {
        if case .ended(let outcome, let facts) = event.kind {
            guard let place = places[event.span], spans[place].end == nil else { return }
            // Threads may report their instants in another order.
            spans[place].end = max(event.instant, spans[place].start)
            spans[place].outcome = outcome
            spans[place].facts = facts
            return
        }
        if case .began = event.kind, places[event.span] != nil { return }
        let order = spans.count + marks.count
        guard order < limit else {
            eventsDropped += 1
            return
        }
        switch event.kind {
        case .began(let name):
            places[event.span] = spans.count
            spans.append(
                Span(
                    number: event.span, parent: event.parent, policy: event.policy, name: name,
                    attempt: event.attempt, start: event.instant, order: order))
        case .mark(let word, let facts):
            marks.append(
                Mark(
                    span: event.span, policy: event.policy, word: word, facts: facts,
                    instant: event.instant, order: order))
        case .ended: break
        }
    }

    /// A span by its number.
    func span(_ number: Int) -> Span? { places[number].map { spans[$0] } }

    /// The earliest and the latest known instant.
    var extent: (first: SchedulerInstant, last: SchedulerInstant)? {
        let instants = spans.map(\.start) + spans.compactMap(\.end) + marks.map(\.instant)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return (first, last)
    }
}

extension RecordedCall: Sendable {}

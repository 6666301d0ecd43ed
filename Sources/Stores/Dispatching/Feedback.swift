/// An effect that lives as long as a query of the state has a value, as in RxFeedback.
///
/// ```swift
/// Feedback<Search, Event> { $0.wanted } effect: { text in
///     .request(find(text)) { .answered($0) }
/// }
/// ```
///
/// The query is a pure function of the state. When it becomes a value, an effect begins; while it stays
/// equal, the effect continues, and is not begun again when it has ended; when it becomes another value, the
/// effect is replaced; when it becomes nil, the effect is cancelled. The initial state is queried first.
public struct Feedback<State: Sendable, Event: Sendable>: Sendable {
    /// The effect for a change of state; the old state is nil for the initial state.
    let step: @Sendable (State?, State) -> Effect<Event>

    init(step: @escaping @Sendable (State?, State) -> Effect<Event>) { self.step = step }

    /// Makes a feedback with at most one effect at a time.
    ///
    /// - Parameters:
    ///   - query: Returns the query of a state, or nil. It runs inside dispatch, as reducing does, and its
    ///     values are freed there: if freeing them uses the store, it traps.
    ///   - effect: Makes the effect that answers the query. It runs inside dispatch and must be pure.
    public init<Query: Equatable & Sendable>(
        _ query: @escaping @Sendable (State) -> Query?,
        effect: @escaping @Sendable (Query) -> Effect<Event>
    ) {
        let id = FeedbackID()
        step = { old, new in
            let query = (old: old.flatMap(query), new: query(new))
            guard query.old != query.new else { return .none }
            // An effect that is `none` still replaces the one before it.
            let cancel: Effect<Event> = query.old == nil ? .none : .cancel(id: id)
            guard let new = query.new else { return cancel }
            return .merge(cancel, effect(new).id(id))
        }
    }

    /// Makes a feedback with one effect for each of several queries.
    ///
    /// - Parameters:
    ///   - queries: Returns the queries of a state. It runs inside dispatch, as reducing does, and its values
    ///     are freed there: if freeing them uses the store, it traps. The effects of queries that appear
    ///     together begin in the order of the set, which is not the same in every run.
    ///   - effect: Makes the effect that answers one query. It runs inside dispatch and must be pure.
    ///     It lives until its query leaves the set.
    public init<Query: Hashable & Sendable>(
        each queries: @escaping @Sendable (State) -> Set<Query>,
        effect: @escaping @Sendable (Query) -> Effect<Event>
    ) {
        let id = FeedbackID()
        step = { old, new in
            let (old, new) = (old.map(queries) ?? [], queries(new))
            guard old != new else { return .none }
            let gone = old.subtracting(new).map { query in
                Effect<Event>.cancel(id: MemberID(feedback: id, query: query))
            }
            let come = new.subtracting(old).map { query in
                effect(query).id(MemberID(feedback: id, query: query))
            }
            return .merge(gone + come)
        }
    }
}

/// The id of a feedback's effect: equal to itself alone.
private final class FeedbackID: Hashable, Sendable, CustomStringConvertible {
    var description: String { "a feedback" }

    static func == (left: FeedbackID, right: FeedbackID) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The id of the effect of one of several queries.
private struct MemberID<Query: Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
    let feedback: FeedbackID
    let query: Query

    var description: String { "\(feedback)'s query \(query)" }
}

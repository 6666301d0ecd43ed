/// An effect that lasts as long as a query of the state has a value, as in RxFeedback.
///
/// ```swift
/// Feedback<Search, Event> { $0.wanted } effect: { text in
///     .request(find(text)) { .answered($0) }
/// }
/// ```
///
/// The query is a pure function of the state. The store queries its initial state first, then the state after
/// each event:
/// - If the query changes from nil to a value, the effect begins.
/// - If the value stays equal, the effect continues. An effect that has ended doesn't begin again.
/// - If the query changes to another value, a new effect replaces the old one.
/// - If the query changes to nil, the effect is cancelled.
public struct Feedback<State: Sendable, Event: Sendable>: Sendable {
    /// The effect for a change of state; the old state is nil at the beginning.
    let step: @Sendable (State?, State) -> Effect<Event>

    init(step: @escaping @Sendable (State?, State) -> Effect<Event>) { self.step = step }

    /// Creates a feedback with at most one effect at a time.
    ///
    /// - Parameters:
    ///   - query: Returns the query of a state, or nil. It runs inside dispatch, like a reducer, and the values
    ///     that it returns are freed there: if freeing one uses the store, the program traps.
    ///   - effect: Makes the effect for a query. It runs inside dispatch and must be pure.
    public init<Query: Equatable & Sendable>(
        _ query: @escaping @Sendable (State) -> Query?,
        effect: @escaping @Sendable (Query) -> Effect<Event>
    ) {
        let id = FeedbackID()
        step = { old, new in
            let query = (old: old.flatMap(query), new: query(new))
            guard query.old != query.new else { return .none }
            // The new effect may be `none`, which has no id and replaces nothing. So the old one is cancelled
            // explicitly.
            let cancel: Effect<Event> = query.old == nil ? .none : .cancel(id: id)
            guard let new = query.new else { return cancel }
            return .merge(cancel, effect(new).id(id))
        }
    }

    /// Creates a feedback with one effect for each of several queries.
    ///
    /// - Parameters:
    ///   - queries: Returns the queries of a state. It runs inside dispatch, like a reducer, and the values
    ///     that it returns are freed there: if freeing one uses the store, the program traps. If several
    ///     queries appear at once, their effects begin in the order of the set, which differs each time the
    ///     program runs.
    ///   - effect: Makes the effect for one query. It runs inside dispatch and must be pure. The effect lasts
    ///     until its query leaves the set.
    public init<Query: Hashable & Sendable>(
        each queries: @escaping @Sendable (State) -> Set<Query>,
        effect: @escaping @Sendable (Query) -> Effect<Event>
    ) {
        let id = FeedbackID()
        step = { old, new in
            let (old, new) = (old.map(queries) ?? [], queries(new))
            guard old != new else { return .none }
            let gone = old.subtracting(new)
            // Most events only add queries or only remove some, so one of the sets contains the other.
            let come = old.count - gone.count == new.count ? [] : new.subtracting(old)
            let cancelled = gone.map { query in
                Effect<Event>.cancel(id: MemberID(feedback: id, query: query))
            }
            let begun = come.map { query in
                effect(query).id(MemberID(feedback: id, query: query))
            }
            return .merge(cancelled + begun)
        }
    }
}

/// Equal only to itself.
private final class FeedbackID: Hashable, Sendable, CustomStringConvertible {
    var description: String { "a feedback" }

    static func == (left: FeedbackID, right: FeedbackID) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Identifies one query's effect in a feedback with several queries.
private struct MemberID<Query: Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
    let feedback: FeedbackID
    let query: Query

    var description: String { "\(feedback)'s query \(query)" }
}

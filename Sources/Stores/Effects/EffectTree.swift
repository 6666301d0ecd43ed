public import PledgeFutures

/// An effect without the type of its events: parts, ids, delays, and the jobs at the leaves.
///
/// Until its jobs begin, nothing depends on the events. So this code isn't generic: generic code outside the app's
/// module can't be specialised, and takes several times as long.
@usableFromInline
enum EffectTree: Sendable {
    case none
    case job(any EffectJob)
    case merge([EffectTree])
    case concatenate([EffectTree])
    indirect case identified(EffectTree, EffectID, EffectPolicy)
    indirect case delayed(EffectTree, Duration, any FutureScheduler)
    indirect case throttled(EffectTree, EffectID, Throttling)
    indirect case cancel(EffectID)
}

/// An `EventJob` of any event.
@usableFromInline
protocol EffectJob: AnyObject, Sendable {}

/// The work of an effect without parts.
@usableFromInline
final class EventJob<Event: Sendable>: EffectJob {
    @usableFromInline
    enum Start: Sendable {
        /// A future of the effect's only event.
        case start(@Sendable () -> Future<Event>)
        /// An operation that sends any number of events.
        case run(@Sendable (Effect<Event>.Send) -> Future<Void>)
    }

    @usableFromInline
    let start: Start

    init(_ start: Start) { self.start = start }

    /// The job with its type of event, which is also its store's.
    @inlinable
    static func of(_ job: any EffectJob) -> EventJob {
        guard let job = job as? EventJob else { preconditionFailure("a job of \(Event.self)") }
        return job
    }

    /// A job with the same work and other events.
    func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Event) -> Other
    ) -> EventJob<Other> {
        switch start {
        case .start(let start): EventJob<Other>(.start { start().map(transform) })
        case .run(let operation):
            EventJob<Other>(.run { send in operation(Effect.Send { send(transform($0)) }) })
        }
    }
}

extension EffectTree {
    @inlinable
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// True if it contains effects or an id.
    var hasParts: Bool {
        switch self {
        case .none, .job: false
        case .merge, .concatenate, .identified, .delayed, .throttled, .cancel: true
        }
    }

    static func together(_ trees: [EffectTree]) -> EffectTree {
        let some = trees.filter { !$0.isNone }
        return some.count > 1 ? .merge(some) : some.first ?? .none
    }

    static func inOrder(_ trees: [EffectTree]) -> EffectTree {
        let some = trees.filter { !$0.isNone }
        return some.count > 1 ? .concatenate(some) : some.first ?? .none
    }

    /// Calls a function with the ids of this tree and its parts.
    func forEachID(_ body: (EffectID) -> Void) {
        switch self {
        case .none, .job, .cancel: break
        case .merge(let trees), .concatenate(let trees):
            for tree in trees { tree.forEachID(body) }
        case .identified(let tree, let id, _), .throttled(let tree, let id, _):
            body(id)
            tree.forEachID(body)
        case .delayed(let tree, _, _): tree.forEachID(body)
        }
    }

    /// This tree without the parts that have the id.
    func without(_ id: EffectID) -> EffectTree {
        switch self {
        case .none, .job, .cancel: return self
        case .merge(let trees): return .together(trees.map { $0.without(id) })
        case .concatenate(let trees): return .inOrder(trees.map { $0.without(id) })
        case .identified(let tree, let own, let policy):
            let rest = own == id ? .none : tree.without(id)
            return rest.isNone ? .none : .identified(rest, own, policy)
        case .throttled(let tree, let own, let throttling):
            let rest = own == id ? .none : tree.without(id)
            return rest.isNone ? .none : .throttled(rest, own, throttling)
        case .delayed(let tree, let delay, let scheduler):
            let rest = tree.without(id)
            return rest.isNone ? .none : .delayed(rest, delay, scheduler)
        }
    }

    /// This tree with other jobs and ids.
    func map(
        job: (any EffectJob) -> any EffectJob = { $0 }, id: (EffectID) -> EffectID = { $0 }
    ) -> EffectTree {
        switch self {
        case .none: .none
        case .job(let own): .job(job(own))
        case .merge(let trees): .merge(trees.map { $0.map(job: job, id: id) })
        case .concatenate(let trees): .concatenate(trees.map { $0.map(job: job, id: id) })
        case .identified(let tree, let own, let policy):
            .identified(tree.map(job: job, id: id), id(own), policy)
        case .delayed(let tree, let delay, let scheduler):
            .delayed(tree.map(job: job, id: id), delay, scheduler)
        case .throttled(let tree, let own, let throttling):
            .throttled(tree.map(job: job, id: id), id(own), throttling)
        case .cancel(let own): .cancel(id(own))
        }
    }
}

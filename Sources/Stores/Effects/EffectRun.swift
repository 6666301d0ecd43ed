public import Futures

/// One effect of a store that has begun, as a node of a tree: an effect made of others has theirs
/// as its children, and ends when the last of them has ended.
struct EffectRun<Event: Sendable>: Sendable {
    /// The run that this one is a part of.
    let parent: Int?
    /// The id that it occupies, or waits for.
    var id: EffectID?
    var work: Work
    var children: Set<Int> = []

    /// What a run is about.
    enum Work: Sendable {
        /// Only its children. Next: ended.
        case group
        /// Its child, and then the effects that are left. Next: a group, when none is.
        case sequence(ArraySlice<Effect<Event>>)
        /// A future, once it is made. Next: ended.
        case future(Future<Event>?)
        /// A delay. Next: a group, of the effect that it holds up.
        case delay(Effect<Event>, timer: (any ScheduledAction)?)
        /// Its turn among those with its id. Next: a group.
        case turn(Effect<Event>)
        /// The end of a throttled id's interval. Next: ended.
        case interval(EffectID, timer: (any ScheduledAction)?)
    }

    /// Whether it is something that a user would call an effect under way.
    var isUnderWay: Bool {
        switch work {
        case .future, .delay, .turn: true
        case .group, .sequence, .interval: false
        }
    }
}

/// What is known of an id.
struct EffectSlot: Sendable {
    /// The run that has the id.
    var running: Int?
    /// The runs that wait until it has ended.
    var waiting: [Int] = []
    /// Between two throttled effects: the run of the interval's timer.
    var interval: Int?
    /// The run that begins at the end of the interval.
    var latest: Int?
    var throttling: Throttling?

    var isFree: Bool { running == nil && waiting.isEmpty && interval == nil && latest == nil }
}

/// What there is to do after an ``EffectTable`` has changed, outside the lock and in order.
@usableFromInline
enum EffectCommand<Event: Sendable>: Sendable {
    case start(Int, @Sendable () -> Future<Event>)
    case schedule(Int, Duration, any Scheduler)
    case cancel(Future<Event>)
    case take(back: any ScheduledAction)
    /// Nothing but to free it: what a user's effect captured may use the store as it goes, and so has
    /// to outlive the lock.
    case free(ArraySlice<Effect<Event>>)
}

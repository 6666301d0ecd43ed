/// What waits in a store's queue to be told to its observers.
enum QueueEntry<State: Sendable, Event: Sendable>: Sendable {
    /// A change, for those who were subscribed before it, and then what its effects have to do.
    case transition(Transition<State, Event>)
    /// The state at the beginning, for one who has subscribed.
    case replay(@Sendable () -> Void)
    /// What effects have to do without a change.
    case commands([EffectCommand<Event>])
}

/// One step of a store, from a state to the next.
struct Transition<State: Sendable, Event: Sendable>: Sendable {
    let old: State
    let new: State
    let version: UInt64
    let commands: [EffectCommand<Event>]
}

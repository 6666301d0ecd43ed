/// What waits in a store's queue to be told to its observers.
@usableFromInline
enum QueueEntry<State: Sendable, Event: Sendable>: Sendable {
    /// A change, for the observers that were subscribed before it, and then the work of its
    /// effects.
    case transition(Transition<State, Event>)
    /// The state at the beginning, for one who has subscribed.
    case replay(@Sendable () -> Void)
    /// What effects have to do without a change.
    case commands([EffectCommand<Event>])
}

/// One step of a store, from a state to the next.
@usableFromInline
struct Transition<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    let old: State
    @usableFromInline
    let new: State
    @usableFromInline
    let version: UInt64
    @usableFromInline
    let commands: [EffectCommand<Event>]

    @inlinable
    init(old: State, new: State, version: UInt64, commands: [EffectCommand<Event>]) {
        self.old = old
        self.new = new
        self.version = version
        self.commands = commands
    }
}

/// An entry in a store's queue, of which its observers are notified.
@usableFromInline
enum QueueEntry<State: Sendable, Event: Sendable>: Sendable {
    /// A change, for the observers that were subscribed before it, and then the work of its
    /// effects.
    case transition(Transition<State, Event>)
    /// The state at the time of subscription, for a new subscriber.
    case replay(@Sendable () -> Void)
    /// Commands of effects without a change.
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

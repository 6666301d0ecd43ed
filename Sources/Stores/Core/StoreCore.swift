public import Futures
public import Synchronization

/// What a store is made of: its state, the queue of its changes, and the thread that works it off.
///
/// Reducing and entering the queue are one step under the lock, so the queue holds the changes in
/// the order in which they were made. At most one thread drains it, outside the lock, in batches
/// that it swaps out; other threads that dispatch meanwhile leave their changes to it.
///
/// A core outlives its ``Store`` only where a middleware kept its context; it is closed then.
@usableFromInline
final class StoreCore<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    typealias Entry = QueueEntry<State, Event>

    /// All that changes, guarded by one lock.
    @usableFromInline
    struct Values {
        @usableFromInline
        var state: State
        /// How many events were reduced.
        @usableFromInline
        var version: UInt64 = 0
        @usableFromInline
        var audience = Audience<State>()
        @usableFromInline
        var pending: [Entry] = []
        /// The buffer of a batch that was worked off, to be used again.
        @usableFromInline
        var spare: [Entry] = []
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var effects = EffectMachine<Event>()
        @usableFromInline
        var chain: Chain
        /// What other threads have dispatched while the store is set up.
        @usableFromInline
        var early: [EarlyEvent] = []

        @inlinable
        init(state: State, chain: Chain) {
            self.state = state
            self.chain = chain
        }

        /// Puts the change to the present state in the queue.
        @usableFromInline
        mutating func enqueue(_ old: State) {
            let change = Transition<State, Event>(
                old: old, new: state, version: version, commands: [])
            pending.append(.transition(change))
        }
    }

    /// An event that waits until the store is set up.
    @usableFromInline
    struct EarlyEvent: Sendable {
        let event: Event
        /// If it is an effect's event, the commands that come after it.
        let next: [EffectCommand<Event>]?
    }

    /// The middleware around ``commit(_:)``.
    @usableFromInline
    enum Chain {
        /// A thread sets it up; what other threads dispatch waits. Next: catching up.
        case settingUp(by: UInt)
        /// It is there, and the thread that has set it up sends what has waited through it; what other
        /// threads dispatch waits, too, so that it overtakes nothing. Next: ready.
        case catchingUp(@Sendable (Event) -> Void, by: UInt)
        /// Next: gone, when the store goes. It refers to this core, so it has to be let go of.
        case ready(@Sendable (Event) -> Void)
        case gone
    }

    @usableFromInline
    let values: Locked<Values>
    /// The thread that is in a reducer, or zero.
    @usableFromInline
    let reducing = Atomic<UInt>(0)
    @usableFromInline
    let turn = DrainTurn()
    @usableFromInline
    let reduction: Reduction<State, Event>
    @usableFromInline
    let feedback: [Feedback<State, Event>]
    @usableFromInline
    let hasMiddleware: Bool
    /// Whether anything can be left to do besides telling observers.
    @usableFromInline
    let mayHaveEffects: Bool
    @usableFromInline
    let onFailure: @Sendable (any Error) -> Void

    @inlinable
    init(
        _ state: State, _ reduction: Reduction<State, Event>, hasMiddleware: Bool,
        feedback: [Feedback<State, Event>], onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        values = Locked(Values(state: state, chain: .settingUp(by: threadIdentity())))
        self.reduction = reduction
        self.hasMiddleware = hasMiddleware
        self.feedback = feedback
        mayHaveEffects = reduction.reduceWithEffects != nil || !feedback.isEmpty
        self.onFailure = onFailure
    }

    @inlinable
    var state: State {
        trapIfReducing("read the state")
        return values.withLock { $0.state }
    }

    /// The state with its version: of two, the one with the greater version is the newer.
    @usableFromInline
    var versioned: (state: State, version: UInt64) {
        trapIfReducing("read the state")
        return values.withLock { ($0.state, $0.version) }
    }

    /// Sends an event through the middleware, if there is any, and to the reducer.
    @inlinable
    func dispatch(_ event: Event) {
        if hasMiddleware { dispatchThroughChain(event) } else { commit(event) }
    }

    /// Ends everything: no observer is called any more, and effects are cancelled.
    @usableFromInline
    func close() {
        // The chain and the observers are freed outside the lock: what they captured may use their
        // context of the store as it goes.
        var chain = Chain.gone
        var audience = Audience<State>()
        let commands = values.withLock { values in
            values.isClosed = true
            swap(&chain, &values.chain)
            swap(&audience, &values.audience)
            values.effects.removeAll()
            return values.effects.takeCommands()
        }
        audience.deactivate()
        perform(commands)
    }

    /// Stops the program if this thread is inside the reducer, where it would wait for itself.
    @inlinable
    func trapIfReducing(_ action: StaticString) {
        let thread = reducing.load(ordering: .relaxed)
        if thread != 0, thread == threadIdentity() { trap(action) }
    }

    @usableFromInline
    func trap(_ action: StaticString) -> Never {
        fatalError(
            """
            Store: a reducer of \(State.self) tried to \(action). A reducer is a pure function: it \
            only makes the next state. Dispatch from an observer, from an effect, or after dispatch \
            has returned.
            """)
    }
}

public import PledgeFutures
public import Synchronization

/// The core of a store: its state, the queue of its changes, and the draining of the queue.
///
/// Reducing and entering the queue are one step under the lock, so the queue holds the changes in
/// the order in which they were made. At most one thread drains it, outside the lock, in batches
/// that it swaps out; other threads that dispatch meanwhile leave their changes to it.
///
/// A core outlives its ``Store`` only if a middleware keeps its context; the core is then closed.
@usableFromInline
final class StoreCore<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    typealias Entry = QueueEntry<State, Event>

    /// All variable state, guarded by one lock.
    @usableFromInline
    struct Values {
        @usableFromInline
        var state: State
        /// How many events were reduced.
        @usableFromInline
        var version: UInt64 = 0
        @usableFromInline
        var subscribers = Subscribers<State>()
        @usableFromInline
        var pending: [Entry] = []
        /// The thread that has, or last had, the turn to drain.
        @usableFromInline
        var drainer: UInt = 0
        /// Whether other threads than the draining one have put some of the pending entries there.
        @usableFromInline
        var hasOthersEntries = false
        @usableFromInline
        var wasLong = false
        /// How many entries observers have not been notified of, those of the batch included; counted if the queue is limited.
        @usableFromInline
        var undelivered = 0
        /// The threads that wait for a place in the queue, in the order in which they came.
        @usableFromInline
        var waiting: [QueuePlace] = []
        /// How many of them may go on, and have not yet.
        @usableFromInline
        var admitted = 0
        /// The buffer of a finished batch, for reuse.
        @usableFromInline
        var spare: [Entry] = []
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var effects = EffectMachine<Event>()
        @usableFromInline
        var chain: Chain
        /// The events that other threads dispatch while the store is set up.
        @usableFromInline
        var early: [EarlyEvent] = []

        @inlinable
        init(state: State, chain: Chain) {
            self.state = state
            self.chain = chain
        }

        /// Puts the change to the present state in the queue.
        ///
        /// - Returns: As `enqueue(_:by:)`.
        @usableFromInline
        mutating func enqueue(_ old: State, by thread: UInt) -> Bool {
            let change = Transition<State, Event>(
                old: old, new: state, version: version, commands: [])
            return enqueue(.transition(change), by: thread)
        }

        /// Puts an entry in the queue.
        ///
        /// - Returns: Whether the queue is too long for the first time.
        @usableFromInline
        mutating func enqueue(_ entry: Entry, by thread: UInt) -> Bool {
            pending.append(entry)
            undelivered += 1
            if thread != drainer { hasOthersEntries = true }
            guard pending.count == StoreCore.reportedLength, !wasLong else { return false }
            wasLong = true
            return true
        }
    }

    /// An event that waits until the store is set up.
    @usableFromInline
    struct EarlyEvent: Sendable {
        let event: Event
        /// The commands that follow the event, if it is an effect's event.
        let next: [EffectCommand<Event>]?
    }

    /// The middleware around ``commit(_:)``.
    @usableFromInline
    enum Chain {
        /// A thread sets it up; events that other threads dispatch wait. Next: catching up.
        case settingUp(by: UInt)
        /// It is complete, and the thread that has set it up sends the waiting events through it. Events that
        /// other threads dispatch still wait, so that they overtake none. Next: ready.
        case catchingUp(@Sendable (Event) -> Void, by: UInt)
        /// Next: gone, when the store is released. The chain refers to this core, so it has to be released
        /// explicitly.
        case ready(@Sendable (Event) -> Void)
        case gone
    }

    @usableFromInline
    let values: Locked<Values>
    /// The thread that is in a reducer, or zero.
    @usableFromInline
    let reducing = Atomic<UInt>(0)
    @usableFromInline
    let turn = DrainToken()
    /// Which observer is being called, counted in the order of subscription; a hint for reports.
    @usableFromInline
    let observing = Atomic<Int>(0)
    /// How many entries may wait before dispatches wait; nil: any number.
    @usableFromInline
    let queueLimit: Int?
    @usableFromInline
    let reducer: Reducer<State, Event>
    @usableFromInline
    let feedback: [Feedback<State, Event>]
    @usableFromInline
    let hasMiddleware: Bool
    /// Whether there can be work besides notifying observers.
    @usableFromInline
    let mayHaveEffects: Bool
    @usableFromInline
    let onFailure: @Sendable (any Error) -> Void

    @inlinable
    init(
        _ state: State, _ reducer: Reducer<State, Event>, hasMiddleware: Bool,
        feedback: [Feedback<State, Event>], queueLimit: Int?,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.queueLimit = queueLimit
        values = Locked(Values(state: state, chain: .settingUp(by: threadIdentity())))
        self.reducer = reducer
        self.hasMiddleware = hasMiddleware
        self.feedback = feedback
        mayHaveEffects = reducer.mayHaveEffects || !feedback.isEmpty
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

    /// Sends an event through the middleware, if there is any, to the reducer.
    @inlinable
    func dispatch(_ event: Event) {
        if hasMiddleware { dispatchThroughChain(event) } else { commit(event) }
    }

    /// Ends everything: no observer is called any more, and effects are cancelled.
    @usableFromInline
    func close() {
        // The chain and the observers are freed outside the lock: objects that they captured may use the
        // store's context when they are freed.
        var chain = Chain.gone
        var subscribers = Subscribers<State>()
        let (commands, waiting) = values.withLock { values in
            values.isClosed = true
            swap(&chain, &values.chain)
            swap(&subscribers, &values.subscribers)
            values.effects.removeAll()
            defer { values.waiting = [] }
            return (values.effects.takeCommands(), values.waiting)
        }
        for place in waiting { place.give() }
        subscribers.deactivate()
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

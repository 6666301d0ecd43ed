public import PledgeFutures
public import Synchronization

/// The core of a store: its state, the queue of its changes, and the draining of the queue.
///
/// Under the lock, a thread reduces an event and puts the change in the queue in one step, so the queue keeps
/// the order of the changes. At most one thread at a time drains the queue: it takes all entries out of the
/// queue as a batch, and delivers them outside the lock. Threads that dispatch meanwhile leave their changes to
/// the draining thread.
///
/// A core outlives its ``Store`` only if a middleware keeps the ``DispatchContext``. The core is closed by then.
@usableFromInline
final class StoreCore<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    typealias Entry = QueueEntry<State>

    /// All variable state, guarded by one lock.
    @usableFromInline
    struct Values {
        @usableFromInline
        var state: State
        /// The number of events that were reduced.
        @usableFromInline
        var version: UInt64 = 0
        @usableFromInline
        var subscribers = Subscribers<State>()
        @usableFromInline
        var pending: [Entry] = []
        /// The thread that drains the queue or, if none does, the last one that did.
        @usableFromInline
        var drainer: UInt = 0
        /// True if some pending entries come from threads other than the draining one.
        @usableFromInline
        var hasOthersEntries = false
        @usableFromInline
        var wasLong = false
        /// The number of undelivered entries, including the current batch; used only if the queue is limited.
        @usableFromInline
        var undelivered = 0
        /// The threads that wait for a place in the queue, oldest first.
        @usableFromInline
        var waiting: [QueuePlace] = []
        /// The number of threads that were given a place in the queue, but haven't continued yet.
        @usableFromInline
        var admitted = 0
        /// The buffer of a finished batch, for reuse.
        @usableFromInline
        var spare: [Entry] = []
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var effects = EffectMachine()
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

        /// Takes the turn to deliver a change of state and its commands, or puts them in the queue.
        ///
        /// It does neither if there is no observer to notify and no command to carry out.
        ///
        /// - Parameter isLong: Set to true if this entry makes the queue too long for the first time.
        @inlinable
        mutating func enqueueChange(
            from old: State, _ commands: [EffectCommand], _ turn: borrowing DrainToken,
            by thread: UInt, _ isLong: inout Bool
        ) -> StateChange<State> {
            let isToDeliver = !subscribers.list.isEmpty || !commands.isEmpty
            let isMine = isToDeliver && turn.takeTurn()
            if isMine {
                drainer = thread
            } else if isToDeliver {
                isLong = enqueue(from: old, commands, by: thread)
            }
            return StateChange(old, state, version, subscribers.list, isToBeTold: isMine)
        }

        /// Puts a change to the current state in the queue.
        ///
        /// - Returns: True if this entry makes the queue too long for the first time.
        @usableFromInline
        mutating func enqueue(
            from old: State, _ commands: [EffectCommand], by thread: UInt
        ) -> Bool {
            if subscribers.list.isEmpty { return enqueue(.commands(commands), by: thread) }
            let change = Transition<State>(
                old: old, new: state, version: version, commands: commands)
            return enqueue(.transition(change), by: thread)
        }

        /// Puts an entry in the queue.
        ///
        /// - Returns: True if this entry makes the queue too long for the first time.
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
        /// The commands to run after the event; nil unless an effect sent the event.
        let next: [EffectCommand]?
    }

    /// The middleware around ``commit(_:)``.
    @usableFromInline
    enum Chain {
        /// A thread is setting up the middleware. Meanwhile, events of other threads wait.
        ///
        /// Next state: catching up.
        case settingUp(by: UInt)
        /// The middleware is complete, and the thread that set it up is sending the waiting events through it.
        ///
        /// New events of other threads still wait, so that they don't overtake the earlier ones. Next state: ready.
        case catchingUp(@Sendable (Event) -> Void, by: UInt)
        /// Events go through the middleware at once.
        ///
        /// Next state: gone, when the store is released. The functions of the middleware may hold this core, so the
        /// store has to release them explicitly.
        case ready(@Sendable (Event) -> Void)
        case gone
    }

    @usableFromInline
    let values: Locked<Values>
    /// The thread that is inside the reducer; zero if none is.
    @usableFromInline
    let reducing = Atomic<UInt>(0)
    @usableFromInline
    let turn = DrainToken()
    /// The index of the observer being called, in the order of subscription; only a hint for reports.
    @usableFromInline
    let observing = Atomic<Int>(0)
    /// The number of entries in the queue at which a dispatch has to wait for a free place; nil for no limit.
    @usableFromInline
    let queueLimit: Int?
    @usableFromInline
    let reducer: Reducer<State, Event>
    @usableFromInline
    let feedback: [Feedback<State, Event>]
    @usableFromInline
    let hasMiddleware: Bool
    /// True if a dispatch can cause work besides notifying observers.
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

    /// The state and its version; a newer state has a greater version.
    @usableFromInline
    var versioned: (state: State, version: UInt64) {
        trapIfReducing("read the state")
        return values.withLock { ($0.state, $0.version) }
    }

    /// Sends an event to the reducer, through the middleware if there is any.
    @inlinable
    func dispatch(_ event: Event) {
        if hasMiddleware { dispatchThroughChain(event) } else { commit(event) }
    }

    /// Cancels the effects, and stops calling the observers.
    @usableFromInline
    func close() {
        // The chain and the observers are freed outside the lock, because objects that they captured may use
        // the store's context when they are freed.
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
        subscribers.list.deactivate()
        perform(commands)
    }

    /// Stops the program if this thread is inside the reducer.
    ///
    /// Otherwise the thread would wait forever for the lock that it holds itself.
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

extension StoreCore: StateSource {
    /// Adds a subscriber, and replays the state to it.
    @inlinable
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)? = nil,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> ObserverToken {
        let id = UUID()
        enterReplay { values in
            let subscriber = Subscriber<State>(
                id: id, since: values.version, at: place, onClose: onClose, receive: receive)
            values.subscribers.append(subscriber)
            let state = values.state
            return { subscriber.replay(state) }
        }
        return token(of: id)
    }

    /// Calls `add` under the lock to add a subscriber, and queues the replay that `add` returns.
    @usableFromInline
    func enterReplay(_ add: (inout Values) -> @Sendable () -> Void) {
        trapIfReducing("subscribe")
        enqueue { values in .replay(add(&values)) }
    }

    /// Returns a token that removes the subscriber with this id, if there is one.
    ///
    /// The subscriber may observe the whole state or a part.
    @usableFromInline
    func token(of id: UUID) -> ObserverToken {
        ObserverToken { [weak self] in self?.unsubscribe(id) }
    }

    private func unsubscribe(_ id: UUID) {
        trapIfReducing("unsubscribe")
        values.withLock { $0.subscribers.remove(id) }?.deactivate()
    }

    @usableFromInline
    func stateIfNewer(than known: State, since version: UInt64) -> (state: State, version: UInt64)?
    {
        let now = versioned
        return now.version == version ? nil : now
    }

    @inlinable
    func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> any StateSource<Part> {
        Derivation(of: self, part)
    }
}

extension StoreCore {
    /// Returns a future that succeeds when no effect is under way, or fails when the time is over.
    func finish(within duration: Duration, on scheduler: some FutureScheduler) -> Future<Void> {
        trapIfReducing("wait for its effects")
        let finished = Promise<Void>()
        var number = 0
        enqueue { values in
            number = values.effects.resolveWhenIdle(finished)
            let commands = values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
        finished.onCancel { [weak self, number] in
            self?.values.withLockThenRelease { $0.effects.forget(number) }
        }
        return finished.timeout(duration, on: scheduler) { [weak self] in
            EffectsUnfinished(duration: duration, effects: self?.namesUnderWay ?? [])
        }
    }

    private var namesUnderWay: [String] {
        let (paths, events) = values.withLock {
            ($0.effects.pathsUnderWay, $0.effects.eventsOnTheirWay)
        }
        let event = "an event on its way through the middleware"
        return paths.map(\.name) + Array(repeating: event, count: events)
    }
}

extension StoreCore {
    /// Builds the chain of middleware; the first layer is the outermost.
    @usableFromInline
    func setUp(_ middleware: [StoreMiddleware<State, Event>]) {
        guard hasMiddleware else { return }
        let context = DispatchContext(core: self)
        let layers = middleware.map { $0.setUp(context) }
        let commit: @Sendable (Event) -> Void = { [weak self] event in
            self?.commit(event)
        }
        let chain = layers.reversed().reduce(commit) { next, layer in layer(next) }
        values.withLock { $0.chain = .catchingUp(chain, by: threadIdentity()) }
    }

    /// Sends all waiting events through the middleware, until none is left.
    @usableFromInline
    func catchUp() {
        guard hasMiddleware else { return }
        while let (chain, early) = values.withLock({ $0.takeEarlyEvents() }) {
            for early in early { send(early.event, through: chain, then: early.next) }
        }
    }

    /// Sends an event through the middleware, or queues it for the thread that sets the store up.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - next: The commands to run after the event; nil unless an effect sent the event.
    @usableFromInline
    func dispatchThroughChain(_ event: Event, then next: [EffectCommand]? = nil) {
        trapIfReducing("dispatch")
        guard let chain = values.withLock({ $0.entrance(of: event, next) }) else { return }
        send(event, through: chain, then: next)
    }

    private func send(
        _ event: Event, through chain: (Event) -> Void, then next: [EffectCommand]?
    ) {
        chain(event)
        if let next { goOn(with: next) }
    }
}

extension StoreCore.Values {
    /// Returns the function to call with the event; nil if the event has to wait or is dropped.
    ///
    /// While another thread sets the store up, the event waits in `early`. After the store has been released, the event
    /// is dropped.
    fileprivate mutating func entrance(
        of event: Event, _ next: [EffectCommand]?
    ) -> (@Sendable (Event) -> Void)? {
        switch chain {
        case .ready(let chain): return chain
        case .gone: return nil
        case .settingUp(let thread) where thread == threadIdentity():
            fatalError(
                """
                Store: \(Event.self) was dispatched while its middleware was being set up. Dispatch \
                from the function that takes the event, not from those that return it.
                """)
        case .catchingUp(let chain, let thread) where thread == threadIdentity(): return chain
        case .settingUp, .catchingUp:
            early.append(.init(event: event, next: next))
            return nil
        }
    }

    /// Takes the events that wait for the chain, and returns them with the chain.
    ///
    /// If no event waits, this makes the chain ready, and returns nil.
    fileprivate mutating func takeEarlyEvents() -> (
        @Sendable (Event) -> Void, [StoreCore.EarlyEvent]
    )? {
        guard case .catchingUp(let chain, _) = chain else { return nil }
        if early.isEmpty {
            self.chain = .ready(chain)
            return nil
        }
        defer { early = [] }
        return (chain, early)
    }
}

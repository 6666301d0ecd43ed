public import PledgeFutures
public import Synchronization

/// A store's state, and the queue of its changes.
///
/// Under the lock, a thread reduces an event and enqueues the change in one step, so the queue keeps the order. At most
/// one thread drains the queue: it takes all entries as a batch, and delivers them outside the lock. Other threads
/// leave their changes to it.
///
/// A core outlives its ``Store`` only if a middleware keeps the ``DispatchContext``; it's closed by then.
@usableFromInline
final class StoreCore<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    typealias Entry = QueueEntry<State>

    /// What the lock guards.
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
        /// The thread that drains the queue, or the last one that did.
        @usableFromInline
        var drainer: UInt = 0
        /// True if pending entries come from threads other than the draining one.
        @usableFromInline
        var hasOthersEntries = false
        @usableFromInline
        var wasLong = false
        /// How many entries, with the current batch, are undelivered; used only if the queue is limited.
        @usableFromInline
        var undelivered = 0
        /// Threads that wait for a place in the queue, oldest first.
        @usableFromInline
        var waiting: [QueuePlace] = []
        /// How many threads have got a place, but haven't continued yet.
        @usableFromInline
        var admitted = 0
        /// A finished batch's buffer, for reuse.
        @usableFromInline
        var spare: [Entry] = []
        @usableFromInline
        var isClosed = false
        @usableFromInline
        var effects = EffectMachine()
        @usableFromInline
        var chain: Chain
        /// Events that other threads dispatch while the store is set up.
        @usableFromInline
        var early: [EarlyEvent] = []

        @inlinable
        init(state: State, chain: Chain) {
            self.state = state
            self.chain = chain
        }

        /// Takes the turn to deliver a change and its commands, or enqueues them; does neither if there is nobody to
        /// notify and nothing to do.
        ///
        /// - Parameter isLong: Set to true if this makes the queue too long for the first time.
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

        /// Enqueues a change to the current state; returns true if this makes the queue too long for the first time.
        @usableFromInline
        mutating func enqueue(
            from old: State, _ commands: [EffectCommand], by thread: UInt
        ) -> Bool {
            if subscribers.list.isEmpty { return enqueue(.commands(commands), by: thread) }
            let change = Transition<State>(
                old: old, new: state, version: version, commands: commands)
            return enqueue(.transition(change), by: thread)
        }

        /// Enqueues an entry; returns true if this makes the queue too long for the first time.
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
        /// What to do after the event; nil unless an effect sent it.
        let next: [EffectCommand]?
    }

    /// The middleware around ``commit(_:)``.
    @usableFromInline
    enum Chain {
        /// A thread sets the middleware up; other threads' events wait.
        ///
        /// Next: catching up.
        case settingUp(by: UInt)
        /// The thread that set the middleware up sends the waiting events through it.
        ///
        /// Other threads' new events still wait, so as not to overtake. Next: ready.
        case catchingUp(@Sendable (Event) -> Void, by: UInt)
        /// Events go through the middleware at once.
        ///
        /// Next: gone, when the store is released. The middleware may hold this core, so the store releases it
        /// explicitly.
        case ready(@Sendable (Event) -> Void)
        case gone
    }

    @usableFromInline
    let values: Locked<Values>
    /// The thread inside the reducer; zero for none.
    @usableFromInline
    let reducing = Atomic<UInt>(0)
    @usableFromInline
    let turn = DrainToken()
    /// The index of the observer being called; a hint for reports.
    @usableFromInline
    let observing = Atomic<Int>(0)
    /// At this length of the queue, a dispatch waits for a place; nil for no limit.
    @usableFromInline
    let queueLimit: Int?
    @usableFromInline
    let reducer: Reducer<State, Event>
    @usableFromInline
    let feedback: [Feedback<State, Event>]
    @usableFromInline
    let hasMiddleware: Bool
    /// True if a dispatch can do more than notify observers.
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

    /// A newer state has a greater version.
    @usableFromInline
    var versioned: (state: State, version: UInt64) {
        trapIfReducing("read the state")
        return values.withLock { ($0.state, $0.version) }
    }

    @inlinable
    func dispatch(_ event: Event) {
        if hasMiddleware { dispatchThroughChain(event) } else { commit(event) }
    }

    @usableFromInline
    func close() {
        // Freed outside the lock, because captured objects may use the store's context when they are freed.
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

    /// Traps if this thread is inside the reducer, where it would wait for its own lock for ever.
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

    /// Calls `add` under the lock to add a subscriber, and enqueues the replay that it returns.
    @usableFromInline
    func enterReplay(_ add: (inout Values) -> @Sendable () -> Void) {
        trapIfReducing("subscribe")
        enqueue { values in .replay(add(&values)) }
    }

    /// A token that removes this subscriber, of the whole state or a part.
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
    /// A future that succeeds when no effect is under way, or fails when the time is over.
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
    /// Builds the chain of middleware, outermost first.
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

    /// Sends the waiting events through the middleware, until none is left.
    @usableFromInline
    func catchUp() {
        guard hasMiddleware else { return }
        while let (chain, early) = values.withLock({ $0.takeEarlyEvents() }) {
            for early in early { send(early.event, through: chain, then: early.next) }
        }
    }

    /// Sends an event through the middleware, or leaves it to the thread that sets the store up.
    ///
    /// - Parameter next: What to do after the event; nil unless an effect sent it.
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
    /// The function to call with the event.
    ///
    /// Nil while another thread sets the store up, and the event waits in `early`; also after the store was released,
    /// and the event is dropped.
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

    /// Takes the waiting events, with the chain; if there are none, makes the chain ready and returns nil.
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

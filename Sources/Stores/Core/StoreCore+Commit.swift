public import PledgeFutures
public import Synchronization

extension StoreCore {
    /// Reduces an event, then notifies the observers, unless another call is already notifying them.
    ///
    /// In that case, the other call also delivers this change.
    @inlinable
    func commit(_ event: Event) {
        if mayHaveEffects { return commit(event, from: nil) }
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        let thread = threadIdentity()
        var isLong = false
        let step: StateChange<State>? = values.withLock { values in
            if values.isClosed { return nil }
            // The old state is kept even if there are no observers. Otherwise the reducer could free objects of
            // the old state under the lock, and these objects may use the store when they are freed.
            let old = values.state
            values.version &+= 1
            reducing.store(thread, ordering: .relaxed)
            reducer.change(&values.state, event)
            reducing.store(0, ordering: .relaxed)
            let isToBeTold = !values.subscribers.list.isEmpty && turn.take()
            if isToBeTold {
                values.drainer = thread
            } else if !values.subscribers.list.isEmpty {
                isLong = values.enqueue(old, by: thread)
            }
            return StateChange(
                old, values.state, values.version, values.subscribers.list, isToBeTold: isToBeTold)
        }
        guard let step else { return }
        if step.isToBeTold {
            step.subscribers.notify(step.old, step.new, step.version, noting: observing)
            if !turn.end() { drain() }
        } else if isLong {
            reportLongQueue()
        }
        if queueLimit != nil { admit(after: 0) }
        withExtendedLifetime(step) {}
    }

    /// Reduces an event, begins its effects, and enters the change in the queue.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The run of the effect that sent the event; nil for other events. If that effect has been
    ///     replaced or cancelled, the event is discarded.
    ///   - isLast: True if the effect ends with this event.
    @usableFromInline
    func commit(_ event: Event, from run: RunNumber?, isLast: Bool = true) {
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        // The old state is kept even if there are no observers. Otherwise the reducer could free objects of the
        // old state under the lock, and these objects may use the store when they are freed.
        var old: State?
        enter { values in
            guard !values.isClosed else { return nil }
            if let run, !(isLast ? values.effects.end(run) : values.effects.isAlive(run)) {
                return nil
            }
            old = values.state
            return reduce(event, from: values.state, &values)
        }
        if queueLimit != nil { admit(after: 0) }
        withExtendedLifetime(old) {}
    }

    /// Makes the next state, and begins the event's effects.
    ///
    /// - Returns: The entry for the queue; nil if there is no observer to notify and no work to do.
    private func reduce(_ event: Event, from old: State, _ values: inout Values) -> Entry? {
        values.version &+= 1
        reducing.store(threadIdentity(), ordering: .relaxed)
        values.effects.start(reducer.body(&values.state, event))
        stepFeedback(from: old, &values)
        reducing.store(0, ordering: .relaxed)
        if values.subscribers.list.isEmpty { return commands(&values) }
        return .transition(
            Transition(
                old: old, new: values.state, version: values.version,
                commands: values.effects.takeCommands()))
    }

    /// Begins and cancels the effects of the feedback after a change of state.
    private func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.start(feedback.step(old, values.state)) }
    }

    /// Takes the commands of the effect machine, as one entry for the queue; nil if there are none.
    private func commands(_ values: inout Values) -> Entry? {
        let commands = values.effects.takeCommands()
        return commands.isEmpty ? nil : .commands(commands)
    }
}

// MARK: - Effects

extension StoreCore {
    /// Begins the effects of the feedback for the initial state.
    @usableFromInline
    func beginFeedback() {
        guard !feedback.isEmpty else { return }
        enter { values in
            reducing.store(threadIdentity(), ordering: .relaxed)
            stepFeedback(from: nil, &values)
            reducing.store(0, ordering: .relaxed)
            return commands(&values)
        }
    }

    /// Ends an effect without an event, and begins the effects that waited for it.
    ///
    /// - Returns: False if the effect was replaced or cancelled before.
    func end(_ run: RunNumber) -> Bool {
        trapIfReducing("settle an effect's future")
        var wasAlive = false
        enter { values in
            wasAlive = values.effects.end(run)
            return commands(&values)
        }
        return wasAlive
    }

    /// Ends an effect whose event is about to go through the middleware.
    ///
    /// The end of the effect may cancel other effects. These cancellations keep their place in the order of all
    /// commands. Effects that waited for this effect don't begin yet. They begin when this effect's event has been
    /// through the middleware, so effects of newer events may begin before them.
    ///
    /// - Returns: The commands to run once the event has been through the middleware; nil if the effect was
    ///   replaced or cancelled before.
    func takeOver(_ run: RunNumber) -> [EffectCommand<Event>]? {
        trapIfReducing("settle an effect's future")
        var next: [EffectCommand<Event>]?
        enter { values in
            guard values.effects.end(run) else { return nil }
            values.effects.eventsOnTheirWay += 1
            let commands = values.effects.takeCommands()
            next = commands.filter(\.isBeginning)
            let others = commands.filter { !$0.isBeginning }
            return others.isEmpty ? nil : .commands(others)
        }
        return next
    }

    /// Begins effects that waited until another effect's event had been through the middleware.
    func goOn(with next: [EffectCommand<Event>]) {
        enter { values in
            if !values.isClosed { values.effects.eventsOnTheirWay -= 1 }
            let commands = next + values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
    }

    /// Continues a delayed effect, or ends the interval of a throttled id, because the timer has fired.
    func fire(_ run: RunNumber) {
        trapIfReducing("move an effect's clock")
        enter { values in
            values.effects.fire(run)
            return commands(&values)
        }
    }
}

extension StoreCore {
    /// Carries out commands of the effect machine.
    @usableFromInline
    func perform(_ commands: [EffectCommand<Event>]) {
        for command in commands {
            switch command {
            // This task may carry out the effects of events that others have dispatched.
            case .start(let run, let start): CallBeginning.forAnyone { self.start(run, start) }
            case .run(let run, let operation): CallBeginning.forAnyone { self.run(run, operation) }
            case .schedule(let run, let delay, let scheduler): schedule(run, delay, scheduler)
            case .cancel(let handle): handle.cancel()
            case .resolve(let promise): promise.resolve()
            case .free: break
            }
        }
    }

    private func start(_ run: RunNumber, _ start: @Sendable () -> Future<Event>) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        // `map` makes a separate future for this store. Cancelling that future ends only this store's wait, even if
        // others wait for the original future.
        let branch = start().map { $0 }
        guard values.withLock({ $0.effects.attach(.future(branch), to: run) }) else {
            return branch.cancel()
        }
        branch.observe { [weak self] result in self?.settled(run, result) }
    }

    private func settled(_ run: RunNumber, _ result: Result<Event, any Error>) {
        switch result {
        case .success(let event) where hasMiddleware:
            if let next = takeOver(run) { dispatchThroughChain(event, then: next) }
        case .success(let event): commit(event, from: run)
        case .failure(let error): failed(run, error)
        }
    }

    private func run(
        _ run: RunNumber, _ operation: @Sendable (Effect<Event>.Send) -> Future<Void>
    ) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        let end = operation(Effect.Send { [weak self] event in self?.send(event, from: run) })
        guard values.withLock({ $0.effects.attach(.operation(end), to: run) }) else {
            return end.cancel()
        }
        end.observe { [weak self] result in
            switch result {
            case .success: _ = self?.end(run)
            case .failure(let error): self?.failed(run, error)
            }
        }
    }

    /// Dispatches an event of a running effect, unless the effect was replaced or cancelled.
    ///
    /// The effect continues after the event.
    private func send(_ event: Event, from run: RunNumber) {
        guard hasMiddleware else { return commit(event, from: run, isLast: false) }
        trapIfReducing("send an effect's event")
        let isAlive = values.withLock { values in
            guard values.effects.isAlive(run) else { return false }
            values.effects.eventsOnTheirWay += 1
            return true
        }
        if isAlive { dispatchThroughChain(event, then: []) }
    }

    private func failed(_ run: RunNumber, _ error: any Error) {
        if end(run), !(error is CancellationError) { onFailure(error) }
    }

    private func schedule(_ run: RunNumber, _ delay: Duration, _ scheduler: any FutureScheduler) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.fire(run) }
        if !values.withLock({ $0.effects.attach(.timer(timer), to: run) }) { timer.cancel() }
    }
}

/// A change of state, to be used outside the lock by the thread that made the change.
///
/// It keeps the old state alive while the lock is held, because objects of the old state may use the store when
/// they are freed.
@usableFromInline
struct StateChange<State: Sendable> {
    @usableFromInline let old: State
    @usableFromInline let new: State
    @usableFromInline let version: UInt64
    @usableFromInline let subscribers: SubscriberList<State>
    /// True if the thread that made the change notifies the observers itself, without an entry in the queue.
    @usableFromInline let isToBeTold: Bool

    @inlinable
    init(
        _ old: State, _ new: State, _ version: UInt64, _ subscribers: SubscriberList<State>,
        isToBeTold: Bool
    ) {
        self.old = old
        self.new = new
        self.version = version
        self.subscribers = subscribers
        self.isToBeTold = isToBeTold
    }
}

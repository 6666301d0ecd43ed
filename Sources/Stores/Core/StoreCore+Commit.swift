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
            return values.enter(from: old, [], turn, by: thread, &isLong)
        }
        if let step { deliver(step, [], isLong: isLong) }
        if queueLimit != nil { admit(after: 0) }
    }

    /// Reduces an event, begins its effects, and notifies the observers, unless another call is notifying them.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The run of the effect that sent the event; nil for other events. If that effect has been
    ///     replaced or cancelled, the event is discarded.
    ///   - isLast: True if the effect ends with this event.
    @inlinable
    func commit(_ event: Event, from run: RunNumber?, isLast: Bool = true) {
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        let thread = threadIdentity()
        var commands: [EffectCommand] = []
        var isLong = false
        let step: StateChange<State>? = values.withLock { values in
            if values.isClosed { return nil }
            if let run, !(isLast ? values.effects.end(run) : values.effects.isAlive(run)) {
                return nil
            }
            let old = values.state
            values.version &+= 1
            reducing.store(thread, ordering: .relaxed)
            let effect = reducer.body(&values.state, event)
            if !effect.isNone { values.effects.start(effect.tree) }
            if !feedback.isEmpty { stepFeedback(from: old, &values) }
            reducing.store(0, ordering: .relaxed)
            commands = values.effects.takeCommands()
            return values.enter(from: old, commands, turn, by: thread, &isLong)
        }
        if let step { deliver(step, commands, isLong: isLong) }
        if queueLimit != nil { admit(after: 0) }
    }

    /// Notifies the observers of a change and carries out its commands, if the change isn't in the queue.
    @inlinable
    func deliver(_ step: StateChange<State>, _ commands: [EffectCommand], isLong: Bool) {
        if step.isToBeTold {
            step.subscribers.notify(step.old, step.new, step.version, noting: observing)
            if !commands.isEmpty { perform(commands) }
            if !turn.end() { drain() }
        } else if isLong {
            reportLongQueue()
        }
        withExtendedLifetime(step) {}
    }

    /// Begins and cancels the effects of the feedback after a change of state.
    @usableFromInline
    func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.start(feedback.step(old, values.state).tree) }
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
    @usableFromInline
    func takeOver(_ run: RunNumber) -> [EffectCommand]? {
        trapIfReducing("settle an effect's future")
        var next: [EffectCommand]?
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
    func goOn(with next: [EffectCommand]) {
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
    @inlinable
    func perform(_ commands: [EffectCommand]) {
        for command in commands {
            if case .begin(let run, let job) = command {
                // This task may carry out the effects of events that others have dispatched.
                callForAnyone { begin(EventJob.of(job), as: run) }
            } else {
                performOther(command)
            }
        }
    }

    @usableFromInline
    func performOther(_ command: EffectCommand) {
        switch command {
        case .schedule(let run, let delay, let scheduler): schedule(run, delay, scheduler)
        case .cancel(let handle): handle.cancel()
        case .resolve(let promise): promise.resolve()
        case .begin, .free: break
        }
    }

    @inlinable
    func begin(_ job: EventJob<Event>, as run: RunNumber) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        switch job.start {
        case .start(let start):
            let future = start()
            if let result = future.result {
                settled(run, result)
            } else {
                wait(for: future, as: run)
            }
        case .run(let operation): self.run(run, operation)
        }
    }

    @usableFromInline
    func wait(for future: Future<Event>, as run: RunNumber) {
        // `map` makes a separate future for this store. Cancelling that future ends only this store's wait, even if
        // others wait for the original future.
        let branch = future.map { $0 }
        guard values.withLock({ $0.effects.attach(.future(branch), to: run) }) else {
            return branch.cancel()
        }
        branch.observe { [weak self] result in self?.settled(run, result) }
    }

    @inlinable
    func settled(_ run: RunNumber, _ result: Result<Event, any Error>) {
        switch result {
        case .success(let event) where hasMiddleware:
            if let next = takeOver(run) { dispatchThroughChain(event, then: next) }
        case .success(let event): commit(event, from: run)
        case .failure(let error): failed(run, error)
        }
    }

    @usableFromInline
    func run(
        _ run: RunNumber, _ operation: @Sendable (Effect<Event>.Send) -> Future<Void>
    ) {
        let end = operation(Effect.Send { [weak self] event in self?.send(event, from: run) })
        guard values.withLock({ $0.effects.attach(.future(end), to: run) }) else {
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

    @usableFromInline
    func failed(_ run: RunNumber, _ error: any Error) {
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

/// Runs code whose calls don't depend on the current task.
@usableFromInline
func callForAnyone(_ body: () -> Void) { CallBeginning.forAnyone(body) }

public import Futures
public import Synchronization

extension StoreCore {
    /// Reduces an event, and tells the observers, unless another thread is at it; then it does.
    @inlinable
    func commit(_ event: Event) {
        if mayHaveEffects { return commit(event, from: nil) }
        trapIfReducing("dispatch")
        let step: StateChange<State>? = values.withLock { values in
            if values.isClosed { return nil }
            // Kept also without observers: what the reducer freed could use the store.
            let old = values.state
            values.version &+= 1
            reducing.store(threadIdentity(), ordering: .relaxed)
            reduction.reduce(&values.state, event)
            reducing.store(0, ordering: .relaxed)
            let isToBeTold = !values.audience.isEmpty && turn.take()
            if !isToBeTold, !values.audience.isEmpty { values.enqueue(old) }
            return StateChange(
                old, values.state, values.version, values.audience, isToBeTold: isToBeTold)
        }
        guard let step else { return }
        if step.isToBeTold {
            step.audience.notify(step.old, step.new, step.version)
            if !turn.end() { drain() }
        }
        withExtendedLifetime(step) {}
    }

    /// Reduces an event, begins its effects, and enters the change in the queue.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The effect that it comes from. If that was replaced before, the event is dropped.
    ///   - isLast: Whether the effect ends by it.
    @usableFromInline
    func commit(_ event: Event, from run: RunNumber?, isLast: Bool = true) {
        trapIfReducing("dispatch")
        // Kept also without observers: what the reducer freed could use the store.
        var old: State?
        enter { values in
            guard !values.isClosed else { return nil }
            if let run, !(isLast ? values.effects.end(run) : values.effects.isAlive(run)) {
                return nil
            }
            old = values.state
            return reduce(event, from: values.state, &values)
        }
        withExtendedLifetime(old) {}
    }

    /// Makes the next state, and begins its effects, if there is an observer to tell or work to do.
    private func reduce(_ event: Event, from old: State, _ values: inout Values) -> Entry? {
        values.version &+= 1
        reducing.store(threadIdentity(), ordering: .relaxed)
        if let reduceWithEffects = reduction.reduceWithEffects {
            values.effects.start(reduceWithEffects(&values.state, event))
        } else {
            reduction.reduce(&values.state, event)
        }
        stepFeedback(from: old, &values)
        reducing.store(0, ordering: .relaxed)
        if values.audience.isEmpty { return commands(&values) }
        return .transition(
            Transition(
                old: old, new: values.state, version: values.version,
                commands: values.effects.takeCommands()))
    }

    /// Begins and cancels what a change of state asks for.
    private func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.start(feedback.step(old, values.state)) }
    }

    /// The entry of what effects have to do, if there is anything.
    private func commands(_ values: inout Values) -> Entry? {
        let commands = values.effects.takeCommands()
        return commands.isEmpty ? nil : .commands(commands)
    }
}

// MARK: - Effects

extension StoreCore {
    /// Begins what the initial state asks for.
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

    /// Ends an effect that no event comes of, and begins what waited for it.
    ///
    /// - Returns: False if it was replaced or cancelled before.
    func end(_ run: RunNumber) -> Bool {
        trapIfReducing("settle an effect's future")
        var wasAlive = false
        enter { values in
            wasAlive = values.effects.end(run)
            return commands(&values)
        }
        return wasAlive
    }

    /// Ends an effect whose event is about to be sent through the middleware.
    ///
    /// What it cancels is cancelled in its place in the order of all commands. What begins after it
    /// waits for its event: effects that newer events begin may overtake that.
    ///
    /// - Returns: What begins when the event has been through the middleware; nil if the effect was
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

    /// Begins what waited for an effect whose event has been through the middleware.
    func goOn(with next: [EffectCommand<Event>]) {
        enter { values in
            if !values.isClosed { values.effects.eventsOnTheirWay -= 1 }
            let commands = next + values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
    }

    /// Goes on with an effect that waited for its time.
    func fire(_ run: RunNumber) {
        trapIfReducing("move an effect's clock")
        enter { values in
            values.effects.fire(run)
            return commands(&values)
        }
    }
}

public import Futures
public import Synchronization

extension StoreCore {
    /// Reduces an event, and tells the observers, unless another thread is at it; then it does.
    @inlinable
    func commit(_ event: Event) {
        if mayHaveEffects { return commit(event, from: nil) }
        trapIfReducing("dispatch")
        let step: Step<State>? = values.withLock { values in
            if values.isClosed { return nil }
            // The old state is not kept for nobody: a collection in it is then changed in place.
            let old = values.audience.isEmpty ? nil : values.state
            values.version &+= 1
            reducing.store(threadIdentity(), ordering: .relaxed)
            reduction.reduce(&values.state, event)
            reducing.store(0, ordering: .relaxed)
            guard let old else { return nil }
            if turn.take() {
                return Step(old, values.state, values.version, values.audience)
            }
            values.enqueue(old)
            return nil
        }
        guard let step else { return }
        step.audience.notify(step.old, step.new, step.version)
        if !turn.end() { drain() }
    }

    /// Reduces an event, begins its effects, and enters the change in the queue.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The effect that it comes from. If that was replaced before, the event is dropped.
    ///   - isLast: Whether the effect ends by it.
    @usableFromInline
    func commit(_ event: Event, from run: Int?, isLast: Bool = true) {
        trapIfReducing("dispatch")
        enter { values in
            guard !values.isClosed else { return nil }
            if let run, !(isLast ? values.effects.end(run) : values.effects.isAlive(run)) {
                return nil
            }
            return reduce(event, &values)
        }
    }

    /// Makes the next state, and begins its effects, if anybody has to be told or anything done.
    private func reduce(_ event: Event, _ values: inout Values) -> Entry? {
        values.version &+= 1
        let isObserved = !values.audience.isEmpty || !feedback.isEmpty
        let old = isObserved ? values.state : nil
        reducing.store(threadIdentity(), ordering: .relaxed)
        if let reduceWithEffects = reduction.reduceWithEffects {
            values.effects.begin(reduceWithEffects(&values.state, event))
        } else {
            reduction.reduce(&values.state, event)
        }
        if let old { stepFeedback(from: old, &values) }
        reducing.store(0, ordering: .relaxed)
        guard let old else { return commands(&values) }
        return .transition(
            Transition(
                old: old, new: values.state, version: values.version,
                commands: values.effects.takeCommands()))
    }

    /// Begins and cancels what a change of state asks for.
    private func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.begin(feedback.step(old, values.state)) }
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
    func end(_ run: Int) -> Bool {
        trapIfReducing("settle an effect's future")
        var wasAlive = false
        enter { values in
            wasAlive = !values.isClosed && values.effects.end(run)
            return commands(&values)
        }
        return wasAlive
    }

    /// Ends an effect whose event is about to be sent through the middleware.
    ///
    /// - Returns: What there is to do afterwards; nil if it was replaced or cancelled before.
    func takeOver(_ run: Int) -> [EffectCommand<Event>]? {
        trapIfReducing("settle an effect's future")
        return values.withLock { values in
            guard !values.isClosed, values.effects.end(run) else { return nil }
            values.effects.eventsOnTheirWay += 1
            return values.effects.takeCommands()
        }
    }

    /// Does what an effect has left to do, now that its event has been through the middleware.
    func goOn(with next: [EffectCommand<Event>]) {
        enter { values in
            if !values.isClosed { values.effects.eventsOnTheirWay -= 1 }
            let commands = next + values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
    }

    /// Goes on with an effect that waited for its time.
    func fire(_ run: Int) {
        trapIfReducing("move an effect's clock")
        enter { values in
            guard !values.isClosed else { return nil }
            values.effects.fire(run)
            return commands(&values)
        }
    }
}

public import PledgeFutures
public import Synchronization

extension StoreCore {
    /// Reduces an event, and notifies the observers, or leaves that to the thread that is doing so.
    @inlinable
    func commit(_ event: Event) {
        if mayHaveEffects { return commit(event, from: nil) }
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        let thread = threadIdentity()
        var isLong = false
        let step: StateChange<State>? = values.withLock { values in
            if values.isClosed { return nil }
            // Kept also without observers: objects that the reducer would free could use the store.
            let old = values.state
            values.version &+= 1
            reducing.store(thread, ordering: .relaxed)
            reducer.change(&values.state, event)
            reducing.store(0, ordering: .relaxed)
            let isToBeTold = !values.subscribers.isEmpty && turn.take()
            if isToBeTold {
                values.drainer = thread
            } else if !values.subscribers.isEmpty {
                isLong = values.enqueue(old, by: thread)
            }
            return StateChange(
                old, values.state, values.version, values.subscribers, isToBeTold: isToBeTold)
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
    ///   - run: The effect that sent it. If that effect was replaced before, the event is discarded.
    ///   - isLast: Whether the effect ends with this event.
    @usableFromInline
    func commit(_ event: Event, from run: RunNumber?, isLast: Bool = true) {
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        // Kept also without observers: objects that the reducer would free could use the store.
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

    /// Makes the next state, and begins its effects, if there is an observer to notify or work to do.
    private func reduce(_ event: Event, from old: State, _ values: inout Values) -> Entry? {
        values.version &+= 1
        reducing.store(threadIdentity(), ordering: .relaxed)
        values.effects.start(reducer.body(&values.state, event))
        stepFeedback(from: old, &values)
        reducing.store(0, ordering: .relaxed)
        if values.subscribers.isEmpty { return commands(&values) }
        return .transition(
            Transition(
                old: old, new: values.state, version: values.version,
                commands: values.effects.takeCommands()))
    }

    /// Begins and cancels effects of feedback after a change of state.
    private func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.start(feedback.step(old, values.state)) }
    }

    /// The queue entry for the commands of effects, if there are any.
    private func commands(_ values: inout Values) -> Entry? {
        let commands = values.effects.takeCommands()
        return commands.isEmpty ? nil : .commands(commands)
    }
}

// MARK: - Effects

extension StoreCore {
    /// Begins the feedback of the initial state.
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
    /// Cancellations that follow from it keep their place in the order of all commands. Effects that begin
    /// after it wait for its event, so effects of newer events may begin earlier.
    ///
    /// - Returns: The commands to run when the event has been through the middleware; nil if the effect was
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

    /// Begins the effects that waited for an effect, after its event has been through the middleware.
    func goOn(with next: [EffectCommand<Event>]) {
        enter { values in
            if !values.isClosed { values.effects.eventsOnTheirWay -= 1 }
            let commands = next + values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
    }

    /// Continues an effect after its delay.
    func fire(_ run: RunNumber) {
        trapIfReducing("move an effect's clock")
        enter { values in
            values.effects.fire(run)
            return commands(&values)
        }
    }
}

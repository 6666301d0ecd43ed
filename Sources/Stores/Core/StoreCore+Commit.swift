internal import Futures
internal import Synchronization

extension StoreCore {
    /// What a dispatch leaves to do to the thread that is to drain the queue.
    private typealias Turn = (first: Entry?, subscribers: [Subscriber<State>])

    /// Reduces an event, enters the change in the queue, and drains it unless another thread does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The effect that it comes from, which ends by it. If that was replaced before, the
    ///     event is dropped.
    func commit(_ event: Event, from run: Int?) {
        trapIfReducing("dispatch")
        let turn: Turn? = values.withLock { values in
            guard !values.isClosed else { return nil }
            if let run, !values.effects.end(run) { return nil }
            return enter(reduce(event, &values), &values)
        }
        if let turn { drain(turn.first, turn.subscribers) }
    }

    /// Ends an effect that no event comes of, and begins what waited for it.
    ///
    /// - Returns: False if it was replaced or cancelled before.
    func end(_ run: Int) -> Bool {
        let (wasAlive, turn): (Bool, Turn?) = values.withLock { values in
            guard !values.isClosed, values.effects.end(run) else { return (false, nil) }
            return (true, enterCommands(&values))
        }
        if let turn { drain(turn.first, turn.subscribers) }
        return wasAlive
    }

    /// Ends an effect whose event is about to be sent through the middleware.
    ///
    /// - Returns: What there is to do afterwards; nil if it was replaced or cancelled before.
    func takeOver(_ run: Int) -> [EffectCommand<Event>]? {
        values.withLock { values in
            guard !values.isClosed, values.effects.end(run) else { return nil }
            return values.effects.takeCommands()
        }
    }

    /// Does what effects have to do when its turn has come.
    func enqueue(_ commands: [EffectCommand<Event>]) {
        guard !commands.isEmpty else { return }
        let turn: Turn? = values.withLock { enter(.commands(commands), &$0) }
        if let turn { drain(turn.first, turn.subscribers) }
    }

    /// Goes on with an effect that waited for its time.
    func fire(_ run: Int) {
        let turn: Turn? = values.withLock { values in
            guard !values.isClosed else { return nil }
            values.effects.fire(run)
            return enterCommands(&values)
        }
        if let turn { drain(turn.first, turn.subscribers) }
    }

    /// Begins what the initial state asks for.
    func beginFeedback() {
        guard !feedback.isEmpty else { return }
        let turn: Turn? = values.withLock { values in
            stepFeedback(from: nil, &values)
            return enterCommands(&values)
        }
        if let turn { drain(turn.first, turn.subscribers) }
    }

    /// Replays the state to one who is subscribed by `add`.
    func subscribe(
        _ add: (inout Values) -> @Sendable () -> Void
    ) {
        trapIfReducing("subscribe")
        let turn: Turn? = values.withLock { values in
            enter(.replay(add(&values)), &values)
        }
        if let turn { drain(turn.first, turn.subscribers) }
    }

    /// Makes the next state.
    ///
    /// Returns nothing if there is nobody to tell.
    private func reduce(_ event: Event, _ values: inout Values) -> Entry? {
        values.version &+= 1
        let isObserved = !values.subscribers.isEmpty || !feedback.isEmpty
        // The old state is not kept for nobody: a collection in it is then changed in place.
        let old = isObserved ? values.state : nil
        reducing.store(threadIdentity(), ordering: .relaxed)
        let effect = reduction.reduce(&values.state, event)
        if let old, !feedback.isEmpty { stepFeedback(from: old, &values) }
        reducing.store(0, ordering: .relaxed)
        values.effects.begin(effect)
        let commands = values.effects.takeCommands()
        guard let old else { return commands.isEmpty ? nil : .commands(commands) }
        return .transition(
            Transition(old: old, new: values.state, version: values.version, commands: commands))
    }

    private func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.begin(feedback.step(old, values.state)) }
    }

    private func enterCommands(_ values: inout Values) -> Turn? {
        let commands = values.effects.takeCommands()
        return enter(commands.isEmpty ? nil : .commands(commands), &values)
    }

    /// Puts an entry in the queue, or hands it to this thread if the queue is idle.
    private func enter(_ entry: Entry?, _ values: inout Values) -> Turn? {
        guard let entry else { return nil }
        if values.isDraining {
            values.pending.append(entry)
            return nil
        }
        values.isDraining = true
        return (entry, values.subscribers)
    }

    /// Tells the observers of an entry, and of all that have come meanwhile, until none is left.
    ///
    /// Those subscribed after a batch was swapped out are newer than all of it.
    private func drain(_ first: Entry?, _ current: [Subscriber<State>]) {
        if let first { tell(first, current) }
        var batch: [Entry] = []
        var subscribers: [Subscriber<State>] = []
        while true {
            let goesOn = values.withLock { values in
                if values.pending.isEmpty {
                    values.isDraining = false
                    // A burst's buffer is not kept.
                    if batch.capacity <= 1024 { swap(&batch, &values.spare) }
                    return false
                }
                if batch.capacity == 0 { swap(&batch, &values.spare) }
                swap(&batch, &values.pending)
                subscribers = values.subscribers
                return true
            }
            guard goesOn else { return }
            for entry in batch { tell(entry, subscribers) }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func tell(_ entry: Entry, _ subscribers: [Subscriber<State>]) {
        switch entry {
        case .transition(let step):
            for subscriber in subscribers {
                subscriber.notify(step.old, step.new, step.version)
            }
            perform(step.commands)
        case .replay(let replay): replay()
        case .commands(let commands): perform(commands)
        }
    }
}

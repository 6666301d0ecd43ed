public import PledgeFutures
public import Synchronization

extension StoreCore {
    /// Reduces an event, and notifies the observers; if another call is already notifying them, it delivers this change
    /// too.
    @inlinable
    func commit(_ event: Event) {
        if mayHaveEffects { return commit(event, from: nil) }
        trapIfReducing("dispatch")
        if queueLimit != nil { waitForPlace() }
        let thread = threadIdentity()
        var isLong = false
        let step: StateChange<State>? = values.withLock { values in
            if values.isClosed { return nil }
            // Kept even without observers. Otherwise the reducer could free objects of the old state under the lock,
            // and these may use the store.
            let old = values.state
            values.version &+= 1
            reducing.store(thread, ordering: .relaxed)
            reducer.change(&values.state, event)
            reducing.store(0, ordering: .relaxed)
            return values.enqueueChange(from: old, [], turn, by: thread, &isLong)
        }
        if let step { deliver(step, [], isLong: isLong) }
        if queueLimit != nil { admit(after: 0) }
    }

    /// Reduces an event, begins its effects, and notifies the observers, or leaves that to a call that is doing so.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - run: The effect that sent the event; nil for other events. If the effect was replaced or cancelled, the
    ///     event is dropped.
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
            if let run, !(isLast ? values.effects.endJob(run) : values.effects.isAlive(run)) {
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
            return values.enqueueChange(from: old, commands, turn, by: thread, &isLong)
        }
        if let step { deliver(step, commands, isLong: isLong) }
        if queueLimit != nil { admit(after: 0) }
    }

    /// If the change isn't in the queue, notifies the observers and carries out the commands.
    @inlinable
    func deliver(_ step: StateChange<State>, _ commands: [EffectCommand], isLong: Bool) {
        if step.isToBeTold {
            step.subscribers.notify(step.old, step.new, step.version, noting: observing)
            if !commands.isEmpty { perform(commands) }
            if !turn.endTurn() { drain() }
        } else if isLong {
            reportLongQueue()
        }
        withExtendedLifetime(step) {}
    }

    /// Begins and cancels the feedback's effects after a change of state.
    @usableFromInline
    func stepFeedback(from old: State?, _ values: inout Values) {
        for feedback in feedback { values.effects.start(feedback.step(old, values.state).tree) }
    }

    /// The machine's commands as one entry for the queue; nil if there are none.
    func commands(_ values: inout Values) -> Entry? {
        let commands = values.effects.takeCommands()
        return commands.isEmpty ? nil : .commands(commands)
    }
}

/// A change of state, for the thread that made it to use outside the lock.
///
/// It keeps the old state alive, whose objects may use the store when they are freed.
@usableFromInline
struct StateChange<State: Sendable> {
    @usableFromInline let old: State
    @usableFromInline let new: State
    @usableFromInline let version: UInt64
    @usableFromInline let subscribers: SubscriberList<State>
    /// True if this thread notifies the observers itself, without an entry in the queue.
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

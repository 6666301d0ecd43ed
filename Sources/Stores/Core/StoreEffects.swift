public import PledgeFutures
import Synchronization

extension StoreCore {
    /// Begins the feedback's effects for the initial state.
    @usableFromInline
    func beginFeedback() {
        guard !feedback.isEmpty else { return }
        enqueue { values in
            reducing.store(threadIdentity(), ordering: .relaxed)
            stepFeedback(from: nil, &values)
            reducing.store(0, ordering: .relaxed)
            return commands(&values)
        }
    }

    /// Ends an effect without an event; returns false if it was replaced or cancelled before.
    func endEffect(_ run: RunNumber) -> Bool {
        trapIfReducing("settle an effect's future")
        var wasAlive = false
        enqueue { values in
            wasAlive = values.effects.endJob(run)
            return commands(&values)
        }
        return wasAlive
    }

    /// Ends an effect whose event is about to go through the middleware.
    ///
    /// The end may cancel other effects, at its place in the order of commands. Effects that waited for this one begin
    /// only when its event has been through the middleware, so effects of newer events may begin earlier.
    ///
    /// - Returns: What to do then; nil if the effect was replaced or cancelled before.
    @usableFromInline
    func takeOver(_ run: RunNumber) -> [EffectCommand]? {
        trapIfReducing("settle an effect's future")
        var next: [EffectCommand]?
        enqueue { values in
            guard values.effects.endJob(run) else { return nil }
            values.effects.eventsOnTheirWay += 1
            let commands = values.effects.takeCommands()
            next = commands.filter(\.isBeginning)
            let others = commands.filter { !$0.isBeginning }
            return others.isEmpty ? nil : .commands(others)
        }
        return next
    }

    /// Begins the effects that waited for another effect's event to go through the middleware.
    func goOn(with next: [EffectCommand]) {
        enqueue { values in
            if !values.isClosed { values.effects.eventsOnTheirWay -= 1 }
            let commands = next + values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
    }

    /// Continues a delayed effect, or ends a throttled id's interval.
    func fire(_ run: RunNumber) {
        trapIfReducing("move an effect's clock")
        enqueue { values in
            values.effects.fire(run)
            return commands(&values)
        }
    }
}

extension StoreCore {
    @inlinable
    func perform(_ commands: [EffectCommand]) {
        for command in commands {
            if case .begin(let run, let job) = command {
                // This task may carry out effects of events that other tasks have dispatched.
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
        // A branch of its own: cancelling it ends only this store's wait, even if others wait for the original future.
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
            case .success: _ = self?.endEffect(run)
            case .failure(let error): self?.failed(run, error)
            }
        }
    }

    /// Dispatches an event of an effect that goes on, unless it was replaced or cancelled.
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
        if endEffect(run), !(error is CancellationError) { onFailure(error) }
    }

    private func schedule(_ run: RunNumber, _ delay: Duration, _ scheduler: any FutureScheduler) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.fire(run) }
        if !values.withLock({ $0.effects.attach(.timer(timer), to: run) }) { timer.cancel() }
    }
}

/// Runs code whose calls don't belong to the current task.
@usableFromInline
func callForAnyone(_ body: () -> Void) { CallBeginning.forAnyone(body) }

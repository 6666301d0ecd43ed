internal import PledgeFutures

extension StoreCore {
    /// Carries out commands of the effects' machine.
    @usableFromInline
    func perform(_ commands: [EffectCommand<Event>]) {
        for command in commands {
            switch command {
            case .start(let run, let start): self.start(run, start)
            case .run(let run, let operation): self.run(run, operation)
            case .schedule(let run, let delay, let scheduler): schedule(run, delay, scheduler)
            case .cancel(let handle): handle.cancel()
            case .resolve(let promise): promise.resolve()
            case .free: break
            }
        }
    }

    private func start(_ run: RunNumber, _ start: @Sendable () -> Future<Event>) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        // A separate branch: cancelling it gives up only this store's interest.
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

    /// Dispatches an event of an effect that continues, unless the effect was replaced or cancelled before.
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

    private func schedule(_ run: RunNumber, _ delay: Duration, _ scheduler: any Scheduler) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.fire(run) }
        if !values.withLock({ $0.effects.attach(.timer(timer), to: run) }) { timer.cancel() }
    }
}

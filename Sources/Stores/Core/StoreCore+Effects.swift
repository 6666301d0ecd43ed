internal import Futures

extension StoreCore {
    /// Does what the effects' machine has left to do.
    @usableFromInline
    func perform(_ commands: [EffectCommand<Event>]) {
        for command in commands {
            switch command {
            case .start(let run, let start): self.start(run, start)
            case .schedule(let run, let delay, let scheduler): schedule(run, delay, scheduler)
            case .cancel(let handle): handle.cancel()
            case .free: break
            }
        }
    }

    private func start(_ run: Int, _ start: @Sendable () -> Future<Event>) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        // A branch of its own: cancelling it gives up this store's interest, and no one else's.
        let branch = start().map { $0 }
        guard values.withLock({ $0.effects.attach(.future(branch), to: run) }) else {
            return branch.cancel()
        }
        branch.observe { [weak self] result in self?.settled(run, result) }
    }

    private func settled(_ run: Int, _ result: Result<Event, any Error>) {
        switch result {
        case .success(let event) where hasMiddleware:
            // What waits for this effect begins when its event has been through the chain.
            guard let next = takeOver(run) else { return }
            dispatch(event)
            enqueue(next)
        case .success(let event): commit(event, from: run)
        case .failure(let error):
            if end(run), !(error is CancellationError) { onFailure(error) }
        }
    }

    private func schedule(_ run: Int, _ delay: Duration, _ scheduler: any Scheduler) {
        guard values.withLock({ $0.effects.isAlive(run) }) else { return }
        let timer = scheduler.schedule(after: delay) { [weak self] in self?.fire(run) }
        if !values.withLock({ $0.effects.attach(.timer(timer), to: run) }) { timer.cancel() }
    }
}

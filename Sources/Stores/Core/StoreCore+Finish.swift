internal import PledgeFutures

extension StoreCore {
    /// A future that succeeds when no effect is under way, and fails when the time is over.
    func finish(within duration: Duration, on scheduler: some Scheduler) -> Future<Void> {
        trapIfReducing("wait for its effects")
        let finished = Promise<Void>()
        var number = 0
        enter { values in
            number = values.effects.resolveWhenIdle(finished)
            let commands = values.effects.takeCommands()
            return commands.isEmpty ? nil : .commands(commands)
        }
        finished.onCancel { [weak self, number] in
            self?.values.withLockThenRelease { $0.effects.forget(number) }
        }
        return finished.timeout(duration, on: scheduler) { [weak self] in
            EffectsUnfinished(duration: duration, effects: self?.namesUnderWay ?? [])
        }
    }

    private var namesUnderWay: [String] {
        let (paths, events) = values.withLock {
            ($0.effects.pathsUnderWay, $0.effects.eventsOnTheirWay)
        }
        let event = "an event on its way through the middleware"
        return paths.map(\.name) + Array(repeating: event, count: events)
    }
}

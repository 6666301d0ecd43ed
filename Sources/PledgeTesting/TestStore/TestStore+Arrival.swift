internal import Pledge

extension TestStore {
    /// Waits until `take` would find an event, no more can arrive, or the time is over.
    func arrival(
        of expectation: TestExpectation<Event>, within limit: Duration, on scheduler: some Scheduler
    ) async {
        let isTimeUp = Locked(false)
        let timer = scheduler.schedule(after: limit) { [journal] in
            isTimeUp.withLock { $0 = true }
            for promise in journal.withLock({ $0.takeWaiting() }) { promise.resolve(with: ()) }
        }
        defer { timer.cancel() }
        while !Task.isCancelled {
            let wakeUp = InternalPromise<Void>()
            // Read before the journal: an effect that has ended by then has entered its event.
            let canCome = mayOthersDispatch || effectsUnderWay > 0
            let isOver = journal.withLock { journal in
                if !canCome || isTimeUp.withLock({ $0 }) || has(expectation, journal) {
                    return true
                }
                journal.wait(wakeUp)
                return false
            }
            if isOver { return }
            await sleep(until: wakeUp)
        }
    }

    /// Waits until a promise settles, or until the next check whether an effect is under way.
    ///
    /// An effect that fails, is cancelled or has no event ends without an event, so waiting for events is not
    /// enough. A test that passes does not wait this long.
    private func sleep(until wakeUp: InternalPromise<Void>) async {
        let look =
            mayOthersDispatch
            ? nil
            : LiveScheduler.live.schedule(after: .milliseconds(10)) { wakeUp.resolve(with: ()) }
        _ = await wakeUp.resultWhenSettled
        look?.cancel()
        journal.withLock { $0.stopWaiting(wakeUp) }
    }

    /// Whether `take` would find an event.
    private func has(
        _ expectation: TestExpectation<Event>, _ journal: TestJournal<State, Event>
    ) -> Bool {
        exhaustivity.contains(.events)
            ? !journal.unreceived.isEmpty
            : journal.unreceived.contains { expectation.matches($0.event) }
    }
}

extension Future {
    /// Passes the value on after a while.
    ///
    /// - Parameters:
    ///   - duration: How long to hold the value back, from its arrival.
    ///   - scheduler: Whose time it is.
    /// - Returns: The value of this future, later, on the scheduler's thread. A failure passes at
    ///   once.
    public final func delay(
        _ duration: Duration, on scheduler: some Scheduler = .live
    ) -> Future<Value> {
        let future = DelayedFuture<Value>(duration, on: scheduler)
        enroll(future)
        return future
    }
}

/// The future of a value that is held back.
final class DelayedFuture<Value: Sendable>: TimerFuture<Value>, @unchecked Sendable {
    private let duration: Duration
    private let scheduler: any Scheduler

    init(_ duration: Duration, on scheduler: any Scheduler) {
        self.duration = duration
        self.scheduler = scheduler
        super.init { waiter, source in
            unsafeDowncast(waiter, to: DelayedFuture.self)
                .hold(unsafeDowncast(source, to: Future<Value>.self))
        }
    }

    private func hold(_ source: Future<Value>) {
        if let failure = source.failure {
            failDerived(failure)
            return
        }
        // From now on this waits for the timer alone, and the source may go.
        guard lockIfPending() else { return waitUntilLeft() }
        upstream = nil
        unlock()
        storage = source.storage
        keep(scheduler.schedule(after: duration) { _ = self.finishDerived() })
    }
}

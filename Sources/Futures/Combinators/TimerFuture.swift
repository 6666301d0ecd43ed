/// A future with a timer.
class TimerFuture<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// Guarded by this node's lock, then owned by the thread that has settled it.
    @exclusivity(unchecked) final var timer: (any ScheduledAction)?

    /// Keeps the timer until this future settles; cancels it if the future has settled.
    final func keep(_ timer: consuming any ScheduledAction) {
        guard lockIfPending() else { return timer.cancel() }
        self.timer = timer
        unlock()
    }

    override func dropWaits(into cancellation: inout Cancellation) {
        if let timer = timer.take() { cancellation.cancel(timer) }
    }
}

extension FutureNode {
    /// A closure that notifies this future that its time is over.
    final func setTimer(_ duration: Duration, on scheduler: some Scheduler) -> any ScheduledAction {
        scheduler.schedule(after: duration, expiry)
    }

    /// Not made in a generic function, so that it captures one object, and is that object.
    final var expiry: @Sendable () -> Void { { [self] in timeIsOver() } }
}

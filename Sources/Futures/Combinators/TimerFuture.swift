/// A future with a timer.
@usableFromInline
class TimerFuture<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// Guarded by this waiter's lock, then by the claim of whoever settles it.
    @usableFromInline
    @exclusivity(unchecked)
    final var timer: (any ScheduledAction)?

    @inlinable
    override init(deliver: @escaping Delivery) {
        super.init(deliver: deliver)
    }

    /// Keeps the timer until this future settles; takes it back if it has.
    @usableFromInline
    final func keep(_ timer: consuming any ScheduledAction) {
        guard lockIfPending() else { return timer.cancel() }
        self.timer = timer
        unlock()
    }

    /// Takes the timer back.
    ///
    /// Called by whoever has settled this future.
    @usableFromInline
    final func cancelTimer() {
        timer.take()?.cancel()
    }

    override func surrender(to departure: inout Departure) {
        if let timer = timer.take() { departure.cancel(timer) }
        super.surrender(to: &departure)
    }
}

extension FutureNode {
    /// Tells this future, some time from now, that its time is over.
    @inlinable
    final func setTimer(_ duration: Duration, on scheduler: some Scheduler) -> any ScheduledAction {
        scheduler.schedule(after: duration, expiry)
    }

    /// Not made in a generic function, so that it captures one object, and is that object.
    @usableFromInline
    final var expiry: @Sendable () -> Void { { [self] in timeIsOver() } }
}

/// What ``Departure`` notes.
@usableFromInline
typealias FutureTimer = any ScheduledAction

/// A future with a timer.
@usableFromInline
class TimerFuture<Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// Guarded by this waiter's lock, then by the claim of whoever settles it.
    @usableFromInline @exclusivity(unchecked) final var timer: FutureTimer?

    @inlinable
    override init(deliver: @escaping Delivery) {
        super.init(deliver: deliver)
    }

    /// Keeps the timer until this future settles; takes it back if it has.
    @usableFromInline
    final func keep(_ timer: FutureTimer) {
        guard lockIfPending() else { return timer.cancel() }
        self.timer = timer
        unlock()
    }

    /// Takes the timer back.
    ///
    /// Called by whoever has settled this future.
    @usableFromInline
    final func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    override func surrender(to cancellation: inout Cancellation) {
        if let timer { cancellation.cancel(timer) }
        timer = nil
    }
}

/// The timer of a future.
@usableFromInline
enum FutureTimer: Sendable {
    /// Of the live scheduler, which needs no object for it.
    case live(TimerWheel.ID)
    case other(any ScheduledAction)

    /// Tells a future when its time is over.
    @inlinable
    init(expiring future: FutureNode, after delay: Duration, on scheduler: some Scheduler) {
        if scheduler is LiveScheduler {
            self = .live(LiveScheduler.schedule(expiring: future, after: delay))
        } else {
            self = .other(scheduler.schedule(after: delay) { future.timeIsOver() })
        }
    }

    @usableFromInline
    func cancel() {
        switch self {
        case .live(let id): LiveScheduler.shared.cancel(id)
        case .other(let action): action.cancel()
        }
    }
}

/// A future with a timer.
class TimerFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    /// Guarded by this waiter's lock, then by the claim of whoever settles it.
    private var timer: (any ScheduledAction)?

    override init(role: Role, deliver: @escaping Delivery) {
        super.init(role: role, deliver: deliver)
    }

    /// Keeps the timer until this future settles; takes it back if it has.
    final func keep(_ timer: any ScheduledAction) {
        guard lockIfPending() else { return timer.cancel() }
        self.timer = timer
        unlock()
    }

    /// Takes the timer back.
    ///
    /// Called by whoever has settled this future.
    final func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    override func surrender(to departure: inout Departure) {
        if let timer {
            departure.cancel(timer)
            self.timer = nil
        }
        super.surrender(to: &departure)
    }
}

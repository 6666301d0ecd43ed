import PledgeFutures
import PledgeServices

/// A scheduler whose actions run later than asked for, as on a busy machine.
struct LateScheduler: Scheduler {
    private let base: ManualScheduler
    private let lateness: @Sendable () -> Duration

    /// Makes a scheduler on the clock of another one.
    ///
    /// - Parameter lateness: How late an action is; called once for each.
    init(_ base: ManualScheduler, by lateness: @autoclosure @escaping @Sendable () -> Duration) {
        self.base = base
        self.lateness = lateness
    }

    var now: SchedulerInstant { base.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        base.schedule(after: max(delay, .zero) + lateness(), action)
    }
}

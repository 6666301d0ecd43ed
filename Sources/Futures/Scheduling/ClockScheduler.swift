import Dispatch

/// A scheduler on any Swift clock, such as `SuspendingClock` or a test's own clock.
///
/// ```swift
/// let answer = load().timeout(.seconds(2), on: ClockScheduler(SuspendingClock()))
/// ```
///
/// For each action, a task sleeps on the clock and keeps this scheduler alive. Cancelling the action cancels the
/// task. Actions run on the scheduler's own queue, one at a time, in order of their instants. The clock decides how
/// late they are.
public final class ClockScheduler<Time: Clock>: FutureScheduler where Time.Duration == Duration {
    private let time: Time
    private let start: Time.Instant
    /// The scheduled actions, in order.
    ///
    /// When a task wakes up, it moves the clock of this inner scheduler on to its action's instant.
    private let timers = ManualScheduler()
    private let queue = DispatchQueue(label: "Pledge.ClockScheduler")

    /// Creates a scheduler on a clock; its instants count from now.
    public init(_ clock: Time) {
        time = clock
        start = clock.now
    }

    /// The present: the time on the clock since this scheduler was created.
    public var now: SchedulerInstant { SchedulerInstant(offset: start.duration(to: time.now)) }

    /// Runs an action once, after a delay on the clock.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        let instant = now.advanced(by: max(delay, .zero))
        let timer = timers.schedule(at: instant, action)
        let task = Task.detached { [self] in
            try await time.sleep(until: start.advanced(by: instant.offset), tolerance: nil)
            queue.async { self.timers.advance(to: instant) }
        }
        return SleepingAction(timer: timer, task: task)
    }
}

private struct SleepingAction: ScheduledAction {
    let timer: any ScheduledAction
    let task: Task<Void, any Error>

    func cancel() {
        timer.cancel()
        task.cancel()
    }
}

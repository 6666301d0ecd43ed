/// A scheduler's time as a Swift clock, for code that sleeps.
///
/// ```swift
/// try await Task.sleep(for: .seconds(2), clock: scheduler.clock)
/// ```
///
/// On a ``ManualScheduler`` a task sleeps until the test moves the time to its instant.
public struct SchedulerClock: Clock {
    fileprivate let scheduler: any Scheduler

    /// The present of the scheduler.
    public var now: SchedulerInstant { scheduler.now }

    /// The least difference between two instants: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until an instant, on the scheduler's time; returns at once if the instant has passed.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Not used: the scheduler decides how late it may be.
    /// - Throws: `CancellationError` if the task is cancelled; nothing stays in the scheduler then.
    public func sleep(until deadline: SchedulerInstant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let delay = now.duration(to: deadline)
        if delay > .zero { try await Future(value: ()).delay(delay, on: scheduler).value }
    }
}

extension Scheduler {
    /// This scheduler's time as a Swift clock.
    public var clock: SchedulerClock { SchedulerClock(scheduler: self) }
}

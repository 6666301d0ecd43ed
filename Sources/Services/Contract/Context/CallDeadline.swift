public import Futures

/// The instant by which a call has to end, together with its clock.
///
/// Instants of different schedulers cannot be compared; the remaining times can.
public struct CallDeadline {
    /// The time that is left: zero at the deadline, less afterwards.
    public var remaining: Duration { scheduler.now.duration(to: instant) }

    /// The instant, on ``scheduler``.
    public let instant: SchedulerInstant

    /// Whose clock it is.
    public let scheduler: any Scheduler

    /// Makes a deadline at an instant of a scheduler's clock.
    public init(at instant: SchedulerInstant, on scheduler: some Scheduler) {
        self.instant = instant
        self.scheduler = scheduler
    }

    /// Makes a deadline after a duration from now.
    public init(after duration: Duration, on scheduler: some Scheduler = .live) {
        self.init(at: scheduler.now.advanced(by: duration), on: scheduler)
    }
}

extension CallDeadline: Sendable {}

public import PledgeFutures

/// The instant by which a call has to end, together with its clock.
///
/// Instants of different schedulers cannot be compared; the remaining times can.
public struct CallDeadline {
    /// The time that is left: zero at the deadline, less afterwards.
    public var remaining: Duration { scheduler.now.duration(to: instant) }

    /// The instant, on ``scheduler``.
    ///
    /// If the deadline does not count the time of an upload, it moves while bytes of the request's body leave.
    public var instant: SchedulerInstant {
        guard let uploads else { return first }
        return first.advanced(by: uploads.time(of: .upload))
    }

    /// Whose clock it is.
    public let scheduler: any Scheduler

    /// Makes a deadline at an instant of a scheduler's clock.
    public init(at instant: SchedulerInstant, on scheduler: some Scheduler) {
        self.init(at: instant, on: scheduler, extendedBy: nil)
    }

    /// Makes a deadline that does not count the time in which bytes of requests' bodies leave.
    ///
    /// - Parameter uploads: The record in which that time is noted.
    init(at instant: SchedulerInstant, on scheduler: any Scheduler, extendedBy uploads: CallRecord?)
    {
        first = instant
        self.scheduler = scheduler
        self.uploads = uploads
    }

    /// Whether uploads move it.
    var isExtended: Bool { uploads != nil }

    private let first: SchedulerInstant
    private let uploads: CallRecord?

    /// Makes a deadline after a duration from now.
    public init(after duration: Duration, on scheduler: some Scheduler = .live) {
        self.init(at: scheduler.now.advanced(by: duration), on: scheduler)
    }
}

extension CallDeadline: Sendable {}

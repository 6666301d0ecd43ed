public import PledgeFutures
import Synchronization

/// The instant by which a call must end, together with its clock.
///
/// You can't compare instants of different schedulers. Compare the remaining times instead.
public struct CallDeadline: Sendable {
    /// The time left, zero at the deadline and negative after it.
    ///
    /// If the deadline applied only until the answer began (``CallContext/deadline``), the time left is that of the
    /// deadline around it from then on, or a hundred years if there is none.
    public var remaining: Duration {
        guard let current else { return Self.unlimited }
        return current.scheduler.now.duration(to: current.extended)
    }

    /// The instant, on the clock of ``scheduler``.
    ///
    /// A deadline that doesn't count upload time moves later while bytes of the request's body are being sent.
    package var instant: SchedulerInstant {
        guard let lift, lift.isDone else { return extended }
        return scheduler.now.advanced(by: remaining)
    }

    /// The scheduler whose clock measures the deadline.
    public let scheduler: any FutureScheduler

    /// Creates a deadline at an instant of a scheduler's clock.
    package init(at instant: SchedulerInstant, on scheduler: some FutureScheduler) {
        self.init(at: instant, on: scheduler, extendedBy: nil, standIns: nil)
    }

    /// Creates a deadline that doesn't count the time spent sending request bodies.
    ///
    /// - Parameters:
    ///   - uploads: The record that measures this time; nil for an ordinary deadline, which counts this time too.
    ///   - standIns: The stored answers that the policy with this deadline uses when the deadline passes.
    ///   - lift: What lifts the deadline when the answer begins; nil for an ordinary deadline, which stays.
    init(
        at instant: SchedulerInstant, on scheduler: any FutureScheduler,
        extendedBy uploads: CallRecord?, standIns: StandIns?, liftedBy lift: DeadlineLift? = nil
    ) {
        first = instant
        self.scheduler = scheduler
        self.uploads = uploads
        self.standIns = standIns
        self.lift = lift
    }

    /// Returns the same deadline with stored answers that can stand in when it passes.
    func with(_ standIns: StandIns) -> CallDeadline {
        CallDeadline(
            at: first, on: scheduler, extendedBy: uploads, standIns: standIns, liftedBy: lift)
    }

    /// The stored answers that can stand in when the deadline passes; nil if no policy uses them then.
    package let standIns: StandIns?

    var isExtended: Bool { uploads != nil }

    /// This deadline, or the one around it if this one has been lifted; nil if there is none.
    var current: CallDeadline? {
        guard let lift, lift.isDone else { return self }
        return lift.outer?.current
    }

    /// The deadline for a streamed body as well; nil if there is none.
    ///
    /// It is this one, or one further out if this one applies only until the answer begins.
    var withBody: CallDeadline? {
        guard let lift else { return self }
        return lift.outer?.withBody
    }

    private var extended: SchedulerInstant {
        guard let uploads else { return first }
        return first.advanced(by: uploads.time(of: .upload))
    }

    private static let unlimited = Duration.seconds(100 as Int64 * 365 * 24 * 3_600)

    private let first: SchedulerInstant
    private let uploads: CallRecord?
    private let lift: DeadlineLift?

    /// Creates a deadline that passes after a duration, counted from now.
    public init(after duration: Duration, on scheduler: some FutureScheduler = .live) {
        self.init(at: scheduler.now.advanced(by: duration), on: scheduler)
    }
}

/// Lifts a deadline that applies only until the answer begins, so that it doesn't end a streamed body.
final class DeadlineLift: Sendable {
    /// The deadline that applies afterwards; nil if there is none.
    let outer: CallDeadline?
    private let state = Atomic(false)

    init(within outer: CallDeadline?) { self.outer = outer }

    var isDone: Bool { state.load(ordering: .acquiring) }

    func lift() { state.store(true, ordering: .releasing) }
}

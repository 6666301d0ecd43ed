/// A source of time: a clock to read, and a way to run an action later.
///
/// Every part of Pledge that waits takes a scheduler. The default is ``LiveScheduler``, real time;
/// a test passes a ``ManualScheduler`` and moves its clock by hand.
///
/// ```swift
/// let product = loadProduct(7).timeout(.seconds(2), on: scheduler)
/// ```
public protocol Scheduler: Sendable {
    /// The present, on this scheduler's own clock.
    var now: SchedulerInstant { get }

    /// The present on a clock that also counts while the device sleeps.
    ///
    /// What is kept for a time, such as a memoised value or an access token, ages by it; actions run by
    /// ``now``. Its origin may be another than that of ``now``, so compare it with its own readings only.
    /// It is ``now`` unless a scheduler has such a clock.
    var continuousNow: SchedulerInstant { get }

    /// Runs an action once, after a delay.
    ///
    /// - Parameters:
    ///   - delay: How long to wait. Zero or less runs the action as soon as the scheduler can,
    ///     never before this method returns.
    ///   - action: What to run. Actions run one at a time, in order of their instants; those with
    ///     the same instant in the order in which they were scheduled. ``LiveScheduler`` does not wait for an
    ///     action that blocks.
    /// - Returns: A token that cancels the action. Releasing the token does not cancel it.
    @discardableResult
    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction
}

extension Scheduler {
    /// The same as ``now``.
    public var continuousNow: SchedulerInstant { now }
}

/// An instant on a scheduler's clock, counted from an origin that only that scheduler knows.
public struct SchedulerInstant: InstantProtocol, Sendable {
    /// The time since the scheduler's origin.
    public var offset: Duration

    /// Makes the instant that lies `offset` after the scheduler's origin.
    public init(offset: Duration) { self.offset = offset }

    /// The instant that lies a duration later.
    public func advanced(by duration: Duration) -> SchedulerInstant {
        SchedulerInstant(offset: offset + duration)
    }

    /// The duration from this instant to another.
    public func duration(to other: SchedulerInstant) -> Duration { other.offset - offset }

    /// Whether one instant is earlier than another.
    public static func < (left: SchedulerInstant, right: SchedulerInstant) -> Bool {
        left.offset < right.offset
    }
}

extension SchedulerInstant: CustomStringConvertible {
    /// The time since the scheduler's origin, like "9.0 seconds".
    public var description: String { "\(offset)" }
}

/// A token that cancels a scheduled action.
public protocol ScheduledAction: Sendable {
    /// Cancels the action, and releases what it captured.
    ///
    /// Harmless when it has run already, and harmless twice. An action that is running on another
    /// thread runs to its end.
    func cancel()
}

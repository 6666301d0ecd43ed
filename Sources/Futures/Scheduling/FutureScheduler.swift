/// A source of time: a clock to read, and a way to run an action later.
///
/// Every part of Pledge that waits takes a scheduler. The default is ``LiveScheduler``, real time;
/// a test passes a ``ManualScheduler`` and moves its clock by hand.
///
/// ```swift
/// let product = loadProduct(7).timeout(.seconds(2), on: scheduler)
/// ```
public protocol FutureScheduler: Sendable {
    /// The present on this scheduler's own clock.
    var now: SchedulerInstant { get }

    /// The present on a clock that also counts while the device sleeps.
    ///
    /// Values that are kept for a time, such as a memoized value or an access token, age by this clock. Actions follow
    /// the clock of ``now`` instead. The two clocks may have different origins, so compare readings of this clock only
    /// with each other. For a scheduler without such a clock, this is the same as ``now``.
    var continuousNow: SchedulerInstant { get }

    /// Runs an action once, after a delay.
    ///
    /// - Parameters:
    ///   - delay: The time to wait. Zero or less runs the action as soon as the scheduler can, but never before
    ///     this method returns.
    ///   - action: The code to run. Actions run one at a time, in order of their instants. Actions with the same
    ///     instant run in the order in which they were scheduled. ``LiveScheduler`` doesn't wait for an action that
    ///     blocks.
    /// - Returns: A token that cancels the action. Releasing the token doesn't cancel the action.
    @discardableResult
    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction

    /// Runs an action once, at an instant of ``now``'s clock, or as soon as the scheduler can if the instant has passed.
    ///
    /// The default implementation reads ``now``, and schedules the action after what is left. If the clock moves in
    /// between, the action is late by as much, so a scheduler that has a way of its own should use it.
    ///
    /// - Parameters:
    ///   - instant: The instant.
    ///   - action: The code to run, as in ``schedule(after:_:)``.
    /// - Returns: A token that cancels the action.
    @discardableResult
    func schedule(
        at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction
}

extension FutureScheduler {
    /// The same as ``now``.
    public var continuousNow: SchedulerInstant { now }

    /// Schedules the action after what is left until the instant.
    @discardableResult
    public func schedule(
        at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        schedule(after: now.duration(to: instant), action)
    }
}

/// An instant on a scheduler's clock, counted from an origin that only that scheduler knows.
public struct SchedulerInstant: InstantProtocol, Sendable, CustomStringConvertible {
    /// The time since the scheduler's origin.
    public var offset: Duration

    /// Creates the instant that lies `offset` after the scheduler's origin.
    public init(offset: Duration) { self.offset = offset }

    /// The instant that lies a duration later.
    public func advanced(by duration: Duration) -> SchedulerInstant {
        SchedulerInstant(offset: offset + duration)
    }

    /// The duration from this instant to another.
    public func duration(to other: SchedulerInstant) -> Duration { other.offset - offset }

    /// Returns whether the first instant is earlier than the second.
    public static func < (left: SchedulerInstant, right: SchedulerInstant) -> Bool {
        left.offset < right.offset
    }

    /// The time since the scheduler's origin, like "9.0 seconds".
    public var description: String { "\(offset)" }
}

/// A token that cancels a scheduled action.
public protocol ScheduledAction: Sendable {
    /// Cancels the action, and releases what it captured.
    ///
    /// It does nothing if the action has already run, or the second time you call it. An action that is running on
    /// another thread runs to its end.
    func cancel()
}

/// A scheduler's time as a Swift clock, for code that sleeps.
///
/// ```swift
/// try await Task.sleep(for: .seconds(2), clock: scheduler.clock)
/// ```
///
/// On a ``ManualScheduler``, a task sleeps until the test moves the clock to the task's instant.
package struct SchedulerClock: Clock {
    private let scheduler: any FutureScheduler

    package init(scheduler: any FutureScheduler) { self.scheduler = scheduler }

    /// The present on the scheduler's clock.
    package var now: SchedulerInstant { scheduler.now }

    /// The smallest difference between two instants: a nanosecond.
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until an instant on the scheduler's clock; returns at once if the instant has passed.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Ignored: the scheduler decides how late it may be.
    /// - Throws: `CancellationError` if the task is cancelled, and nothing then stays in the scheduler; also if the
    ///   scheduler drops its timers, because it is released or its test has ended.
    package func sleep(until deadline: SchedulerInstant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        if deadline <= now { return }
        do { try await wakeUp(at: deadline).get() } catch { throw CancellationError() }
    }

    /// Returns a future that resolves at an instant.
    ///
    /// Only the scheduler keeps it alive. If the scheduler is released, the future fails as abandoned.
    private func wakeUp(at instant: SchedulerInstant) -> Future<Void> {
        let promise = InternalPromise<Void>()
        let timer = scheduler.schedule(at: instant) { promise.resolve(with: ()) }
        promise.onCancel { timer.cancel() }
        return promise
    }
}

extension FutureScheduler {
    /// This scheduler's time as a Swift clock, for code that sleeps.
    ///
    /// ```swift
    /// try await Task.sleep(for: .seconds(2), clock: scheduler.clock)
    /// ```
    ///
    /// On a ``ManualScheduler``, a task sleeps until the test moves the clock to the task's instant.
    public var clock: some Clock<Duration> { SchedulerClock(scheduler: self) }
}

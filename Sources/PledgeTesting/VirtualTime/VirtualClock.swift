public import PledgeFutures
import PledgeSimulation

/// The clock of ``withVirtualTime(isolation:fileID:filePath:line:column:function:_:)``, whose time a test moves.
///
/// Pass it wherever a scheduler or a clock is asked for, such as `client.scheduler = clock`. Code that sleeps writes
/// `try await clock.sleep(for: .seconds(2))`.
///
/// Everything in the test runs on the main thread, one step after another: actions, tasks, actors and code on the main
/// actor. Steps that are due at the same instant run in the order in which they became due.
public final class VirtualClock: FutureScheduler, Clock {
    let scope: VirtualScope

    init(of scope: VirtualScope) { self.scope = scope }

    /// The present: the time that has passed since the test began.
    public var now: SchedulerInstant { scope.executor.now }

    /// The smallest difference between two instants: a nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Runs an action once, when the clock reaches its instant.
    ///
    /// Another thread can't know at which instant it calls this, so its call fails the test.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        scope.schedule(after: delay, action)
    }

    /// Suspends the task until an instant; returns at once if the instant has passed.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Ignored: the task wakes at the instant itself.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: SchedulerInstant, tolerance: Duration? = nil) async throws {
        try await SchedulerClock(scheduler: self).sleep(until: deadline, tolerance: tolerance)
    }

    /// Moves the clock forward, and returns when nothing more can run until a later instant.
    ///
    /// On the way, the clock stops at each instant at which something is due, until nothing more can run there. Before
    /// the clock moves, everything runs that can run at present.
    ///
    /// - Parameter duration: The time to move by. Zero runs what is due now. Less than zero is a programming error and
    ///   traps.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time can only be advanced forward")
        await scope.advance(by: duration)
    }

    /// Moves the clock until nothing is left to run, at any instant.
    ///
    /// If code sets one timer after another without an end, this fails the test after a hundred thousand of them.
    public func run() async { await scope.advance(by: nil) }
}

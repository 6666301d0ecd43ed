/// A scheduler whose clock stands still until a test moves it.
///
/// ```swift
/// let scheduler = ManualScheduler()
/// let future = Promise<Int>().timeout(.seconds(2), on: scheduler)
/// scheduler.advance(by: .seconds(2))
/// ```
///
/// Actions run on the thread that moves the clock, one at a time, in order of their instants, and at
/// the same instant in the order in which they were scheduled. While an action runs, ``now`` is the
/// instant for which it was scheduled. It may be used from several threads; two that move the clock
/// at once share the work.
public final class ManualScheduler: Scheduler {
    private struct State {
        var now = SchedulerInstant(offset: .zero)
        var timers = TimerQueue()
    }

    private let state = Locked(State())

    /// Makes a scheduler at the instant zero.
    public init() {}

    /// The present: zero plus what the clock was advanced by.
    public var now: SchedulerInstant { state.withLock { $0.now } }

    /// Whether nothing is scheduled.
    public var isIdle: Bool { state.withLock { $0.timers.isEmpty } }

    /// Runs an action once, when the clock is moved to or past its instant.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        state.withLock { state in
            let timer = ManualTimer(scheduler: self)
            let instant = state.now.advanced(by: max(delay, .zero))
            state.timers.insert(timer.entry, at: instant, action)
            return timer
        }
    }

    /// Moves the clock forward, and runs what is due on the way, including what that schedules.
    ///
    /// - Parameter duration: By how much. Zero runs what is due now; less than zero is a programming
    ///   error and traps.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time can only be advanced forward")
        let end = now.advanced(by: duration)
        while let action = nextAction(until: end) { action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Runs all that is scheduled, and what that schedules, until nothing is left; the clock moves
    /// to each action's instant.
    ///
    /// Does not return if actions always schedule another.
    public func run() {
        while let action = nextAction(until: nil) { action() }
    }

    private func nextAction(until end: SchedulerInstant?) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let instant = state.timers.nextInstant, end.map({ instant <= $0 }) ?? true else {
                return nil
            }
            state.now = max(state.now, instant)
            return state.timers.removeFirst()
        }
    }

    fileprivate func cancel(_ entry: TimerQueue.Entry) {
        // The action is freed outside the lock: what it captured may schedule or cancel.
        _ = state.withLock { $0.timers.remove(entry) }
    }
}

/// The token of one scheduled action.
private final class ManualTimer: ScheduledAction {
    let entry = TimerQueue.Entry()
    private weak let scheduler: ManualScheduler?

    init(scheduler: ManualScheduler) { self.scheduler = scheduler }

    func cancel() { scheduler?.cancel(entry) }
}

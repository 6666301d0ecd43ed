@preconcurrency import Dispatch

/// Real time: a scheduler on the system's monotonic clock.
///
/// All timers of the process share one timing wheel, guarded by one lock, and one system timer; so a timeout
/// that never fires costs one insertion and one removal, whatever number is pending.
///
/// **Precision.** No action runs early. To save power, an action may run late by a hundredth of its
/// delay: by a millisecond at least, by a second at most; an action without a delay is not delayed
/// on purpose. Actions due in the same half of a millisecond wake the process once.
///
/// **Order.** Actions run in order of their instants, each when the one before it has ended, on a queue of
/// the scheduler's own. If an action takes longer than 50 milliseconds, the next begins before its end, on
/// another thread. This happens for at most 16 actions at a time, so move long work to another queue with
/// ``Future/observe(on:_:)-(DispatchQueue,_)``.
public final class LiveScheduler: Scheduler {
    /// The one live scheduler.
    public static let shared = LiveScheduler()

    private struct State {
        var timers = LiveTimers()
        /// The queue of the current runner.
        var queue = makeQueue("Pledge.LiveScheduler.actions")
    }

    private let state = Locked(State())
    /// The origin of ``continuousNow``.
    private let start = ContinuousClock.now
    /// Fires on a queue where no action runs.
    private let source = DispatchSource.makeTimerSource(queue: makeQueue("Pledge.LiveScheduler"))

    private init() {
        source.setEventHandler { [unowned self] in self.ring() }
        source.activate()
    }

    /// The present: the time since the system started, without what it spent asleep.
    public var now: SchedulerInstant { SchedulerInstant(offset: .nanoseconds(Self.uptime)) }

    /// The present on Swift's `ContinuousClock`, which goes on while the system sleeps.
    public var continuousNow: SchedulerInstant {
        SchedulerInstant(offset: start.duration(to: .now))
    }

    /// Runs an action once, after a delay, on the scheduler's queue; never early.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        let delay = delay.nanosecondsRoundedUp
        let now = Self.uptime
        return LiveTimer(id: change { $0.timers.insert(after: delay, now: now, action) })
    }

    /// Cancels an action.
    fileprivate func cancel(_ id: TimerWheel.ID) {
        // In a struct: a closure that is passed as a value of generic type is wrapped in an object.
        struct Removed { let action: (@Sendable () -> Void)? }
        // What the action captured may schedule or cancel as it is freed.
        state.withLockThenRelease { Removed(action: $0.timers.remove(id)) }
    }

    private static var uptime: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Changes the state, and sets the system's timer as the state asks for.
    private func change<Output>(_ body: (inout State) -> Output) -> Output {
        state.withLock { state in
            let before = state.timers.alarm
            let output = body(&state)
            if let alarm = state.timers.alarm, alarm != before {
                source.schedule(
                    deadline: DispatchTime(uptimeNanoseconds: UInt64(alarm.earliest)),
                    leeway: .nanoseconds(Int(clamping: alarm.latest - alarm.earliest)))
            }
            return output
        }
    }

    private func ring() {
        change { state in
            let before = state.timers.runner
            guard state.timers.ring(at: Self.uptime) else { return }
            let runner = state.timers.runner
            if runner != before { state.queue = makeQueue("Pledge.LiveScheduler.actions") }
            state.queue.async { self.run(as: runner) }
        }
    }

    private func run(as runner: Int) {
        while let action = change({ $0.timers.take(for: runner, at: Self.uptime) }) { action() }
    }
}

extension Scheduler where Self == LiveScheduler {
    /// Real time.
    @inlinable
    public static var live: LiveScheduler { .shared }
}

extension Duration {
    /// As nanoseconds, none if it is negative, rounded up so that nothing is early.
    fileprivate var nanosecondsRoundedUp: Int64 {
        guard self > .zero else { return 0 }
        // A nanosecond is 2⁹ · 5⁹ attoseconds. After a shift the rest fits in a word, for up to some hours,
        // and words are divided faster.
        let attoseconds = attoseconds
        if attoseconds < Int128(UInt64.max / 2) << 9 {
            return Int64(
                (UInt64(truncatingIfNeeded: (attoseconds + 511) >> 9) + 1_953_124) / 1_953_125)
        }
        let nanoseconds = attoseconds / 1_000_000_000
        return nanoseconds < Int128(Int64.max) ? Int64(nanoseconds) + 1 : .max
    }
}

private func makeQueue(_ name: String) -> DispatchQueue {
    DispatchQueue(label: name, qos: .userInitiated)
}

/// The token of one scheduled action, small enough to need no object.
private struct LiveTimer: ScheduledAction {
    let id: TimerWheel.ID

    func cancel() { LiveScheduler.shared.cancel(id) }
}

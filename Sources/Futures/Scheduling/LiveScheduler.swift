@preconcurrency import Dispatch

/// Real time: a scheduler on the system's monotonic clock.
///
/// All timers of the process share one timing wheel, guarded by one lock, and one timer of the system's
/// that is set to the earliest of them; so a timeout that never fires costs two short visits to
/// the wheel, whatever number is pending.
///
/// Actions run one at a time, on a serial dispatch queue of the scheduler's own. One that blocks
/// holds up the others: hand long work on with ``Future/observe(on:_:)-(DispatchQueue,_)``.
public final class LiveScheduler: Scheduler {
    /// The one live scheduler.
    public static let shared = LiveScheduler()

    private struct State {
        var wheel = TimerWheel()
        /// The instant for which the system's timer is set; the end of time if it is not.
        var wakeUp = Int64.max
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "Pledge.LiveScheduler", qos: .userInitiated)
    private let source: any DispatchSourceTimer

    private init() {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [unowned self] in self.runDue() }
        source.activate()
    }

    /// The present: the time since the system started, without what it spent asleep.
    public var now: SchedulerInstant { SchedulerInstant(offset: .nanoseconds(Self.uptime)) }

    /// Runs an action once, after a delay, on the scheduler's queue; never early.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        LiveTimer(id: schedule(.call(action), after: delay), scheduler: self)
    }

    /// Tells a future when its time is over.
    ///
    /// Of the type, which has one instance: who uses it need not retain that.
    /// - Returns: A name for it, which needs no object.
    @usableFromInline
    static func schedule(expiring future: FutureNode, after delay: Duration) -> TimerWheel.ID {
        shared.schedule(.expire(future), after: delay)
    }

    private func schedule(_ action: TimerAction, after delay: Duration) -> TimerWheel.ID {
        let now = Self.uptime
        // The end of time is that of the clock, some three hundred years after the start.
        let (sum, overflow) = now.addingReportingOverflow(delay.nanosecondsRoundedUp)
        let instant = overflow ? .max : sum
        return state.withLock { state in
            let id = state.wheel.insert(at: instant, now: now, action)
            if instant < state.wakeUp { wake(at: instant, &state) }
            return id
        }
    }

    /// Takes an action back.
    func cancel(_ id: TimerWheel.ID) {
        // The action is freed outside the lock: what it captured may schedule or cancel. The
        // system's timer stays as it is; it finds nothing due, and is set anew.
        _ = state.withLock { $0.wheel.remove(id) }
    }

    private static var uptime: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    private func wake(at instant: Int64, _ state: inout State) {
        state.wakeUp = instant
        source.schedule(
            deadline: DispatchTime(uptimeNanoseconds: UInt64(instant)), leeway: .nanoseconds(0))
    }

    private func runDue() {
        while let action = nextDue() { action.run() }
    }

    /// Takes the next action that is due; if none is, sets the system's timer to the next.
    private func nextDue() -> TimerAction? {
        let now = Self.uptime
        return state.withLock { state in
            if let action = state.wheel.removeDue(at: now) { return action }
            state.wakeUp = .max
            if let next = state.wheel.nextWakeUp(), next < .max { wake(at: next, &state) }
            return nil
        }
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
        // A nanosecond is 2⁹ · 5⁹ attoseconds. What a shift leaves fits in a word, up to some hours,
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

/// The token of one scheduled action.
private final class LiveTimer: ScheduledAction {
    private let id: TimerWheel.ID
    private let scheduler: LiveScheduler

    init(id: TimerWheel.ID, scheduler: LiveScheduler) {
        self.id = id
        self.scheduler = scheduler
    }

    func cancel() { scheduler.cancel(id) }
}

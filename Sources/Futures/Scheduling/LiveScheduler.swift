@preconcurrency import Dispatch

/// Real time: a scheduler on the system's monotonic clock.
///
/// All timers of the process share one queue of entries, guarded by one lock, and one timer of the
/// system's that is set to the earliest of them; so a timeout that never fires costs two short visits
/// to the queue, whatever number is pending.
///
/// Actions run one at a time, on a serial dispatch queue of the scheduler's own. One that blocks
/// holds up the others: hand long work on with ``Future/observe(on:_:)-(DispatchQueue,_)``.
public final class LiveScheduler: Scheduler {
    /// The one live scheduler.
    public static let shared = LiveScheduler()

    private struct State {
        var timers = TimerQueue()
        /// The instant for which the system's timer is set; nil if it is not.
        var wakeUp: SchedulerInstant?
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
    public var now: SchedulerInstant {
        SchedulerInstant(offset: .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds)))
    }

    /// Runs an action once, after a delay, on the scheduler's queue; never early.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        let timer = LiveTimer(scheduler: self)
        let instant = now.advanced(by: max(delay, .zero))
        state.withLock { state in
            state.timers.insert(timer.entry, at: instant, action)
            if state.wakeUp.map({ instant < $0 }) ?? true { wake(at: instant, &state) }
        }
        return timer
    }

    private func wake(at instant: SchedulerInstant, _ state: inout State) {
        state.wakeUp = instant
        source.schedule(deadline: instant.dispatchTime, leeway: .nanoseconds(0))
    }

    private func runDue() {
        while let action = nextDue() { action() }
    }

    /// Takes the next action that is due; if none is, sets the system's timer to the next.
    private func nextDue() -> (@Sendable () -> Void)? {
        let now = now
        return state.withLock { state in
            guard let next = state.timers.nextInstant else {
                state.wakeUp = nil
                return nil
            }
            guard next <= now else {
                wake(at: next, &state)
                return nil
            }
            return state.timers.removeFirst()
        }
    }

    fileprivate func cancel(_ entry: TimerQueue.Entry) {
        // The action is freed outside the lock: what it captured may schedule or cancel. The
        // system's timer stays as it is; it finds nothing due, and is set anew.
        _ = state.withLock { $0.timers.remove(entry) }
    }
}

extension Scheduler where Self == LiveScheduler {
    /// Real time.
    public static var live: LiveScheduler { .shared }
}

extension SchedulerInstant {
    /// The instant as Dispatch knows it; the end of time from a hundred years on.
    fileprivate var dispatchTime: DispatchTime {
        guard offset < .seconds(100 * 365 * 24 * 3_600) else { return .distantFuture }
        let (seconds, attoseconds) = max(offset, .zero).components
        // Rounded up, so that nothing is early.
        let nanoseconds = seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
        return DispatchTime(uptimeNanoseconds: UInt64(nanoseconds))
    }
}

/// The token of one scheduled action.
private final class LiveTimer: ScheduledAction {
    let entry = TimerQueue.Entry()
    private let scheduler: LiveScheduler

    init(scheduler: LiveScheduler) { self.scheduler = scheduler }

    func cancel() { scheduler.cancel(entry) }
}

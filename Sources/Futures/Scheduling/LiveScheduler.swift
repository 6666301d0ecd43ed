@preconcurrency import Dispatch

/// Real time: a scheduler on the system's monotonic clock.
///
/// All timers of the process share one system timer and one timing wheel, which one lock guards. So a timeout that
/// never fires costs one insertion and one removal, however many timeouts are pending.
///
/// **Precision.** No action runs early. To save power, an action may run late, by up to a hundredth of its delay.
/// This margin is at least a millisecond and at most a second. An action without a delay isn't delayed on purpose.
/// Actions that are due in the same half of a millisecond wake the process once.
///
/// **Stops.** If the process was stopped, for example by SIGSTOP or with its container, many actions are overdue when it
/// continues. Actions that are more than 250 milliseconds overdue then wait another 100 milliseconds, and so do all
/// other actions. In this time, answers that lie in the process's sockets can arrive before the time limits end their
/// calls.
///
/// **Order.** Actions run on the scheduler's own queue, in order of their instants. Each begins after the previous one
/// has ended. If an action takes longer than 50 milliseconds, the next action begins on another thread, without waiting
/// for the slow one. At most 16 slow actions at a time are treated like this, so move long work to another queue with
/// ``Future/map(on:_:fileID:line:)``.
public final class LiveScheduler: FutureScheduler {
    /// The one live scheduler.
    public static let shared = LiveScheduler()

    private struct State {
        var timers = LiveTimers()
        /// The queue that runs the due actions; another queue replaces it if an action blocks.
        var queue = makeQueue("Pledge.LiveScheduler.actions")
    }

    private let state = Locked(State())
    /// The origin of ``continuousNow``.
    private let start = ContinuousClock.now
    /// The system's timer, which fires on a queue where no action runs.
    private let source = DispatchSource.makeTimerSource(queue: makeQueue("Pledge.LiveScheduler"))

    private init() {
        source.setEventHandler { [unowned self] in self.ring() }
        source.activate()
    }

    /// The present: the time since the system started, without the time that it spent asleep.
    public var now: SchedulerInstant {
        TaskHome.noteUse(of: .time)
        return SchedulerInstant(offset: .nanoseconds(Self.uptime))
    }

    /// The present on Swift's `ContinuousClock`, which goes on while the system sleeps.
    public var continuousNow: SchedulerInstant {
        TaskHome.noteUse(of: .time)
        return SchedulerInstant(offset: start.duration(to: .now))
    }

    /// Runs an action once, after a delay, on the scheduler's queue; never early.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        TaskHome.noteUse(of: .timer)
        return set(after: delay, action)
    }

    /// Runs an action once, at an instant, on the scheduler's queue; never early.
    @discardableResult
    public func schedule(
        at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        TaskHome.noteUse(of: .timer)
        let now = Self.uptime
        let delay = instant.offset.nanosecondsRoundedUp.subtractingReportingOverflow(now)
        return LiveTimer(
            id: change { $0.timers.insert(after: max(delay.partialValue, 0), now: now, action) })
    }

    /// Schedules an action that has no effect on a simulation, such as a report for developers.
    @discardableResult
    func set(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledAction
    {
        let delay = delay.nanosecondsRoundedUp
        let now = Self.uptime
        return LiveTimer(id: change { $0.timers.insert(after: delay, now: now, action) })
    }

    fileprivate func cancel(_ id: TimerWheel.ID) {
        // The closure is in a struct, because Swift would wrap a bare closure in an object, to pass it as a value of
        // generic type.
        struct Removed { let action: (@Sendable () -> Void)? }
        // The action is released after unlocking, because freeing what it captured may schedule or cancel actions.
        state.withLockThenRelease { Removed(action: $0.timers.remove(id)) }
    }

    private static var uptime: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Changes the state, and then sets the system's timer as the state demands.
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
        while let action = change({ $0.timers.takeAction(for: runner, at: Self.uptime) }) {
            action()
        }
    }
}

extension FutureScheduler where Self == LiveScheduler {
    /// Real time.
    @inlinable
    public static var live: LiveScheduler { .shared }
}

extension Duration {
    /// The duration in nanoseconds, rounded up so that nothing is early; zero if it is negative.
    fileprivate var nanosecondsRoundedUp: Int64 {
        guard self > .zero else { return 0 }
        // A nanosecond is 2⁹ · 5⁹ attoseconds. After a shift by 9 bits, a duration of up to some hours fits into a
        // word, and words are divided faster.
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

// MARK: - Decisions

/// The decisions of the live scheduler, without its threads.
///
/// It decides when the system's timer fires, and which runner runs the actions that are due. A runner is one turn
/// of work on a queue, which takes due actions one after another.
///
/// Instants and delays are in nanoseconds. The struct has no lock of its own: its owner guards it.
struct LiveTimers {
    /// The interval in which the system's timer has to fire.
    struct FiringWindow: Equatable {
        let earliest: Int64
        let latest: Int64
    }

    /// The longest time that an action may delay the next one.
    static let patience: Int64 = 50_000_000
    /// The largest number of actions that may block at a time.
    ///
    /// At this number, the next action waits until one of them ends.
    static let mostBlocked = 16
    /// The lateness of the system's timer from which on the process seems to have been stopped.
    static let longestLateness: Int64 = 250_000_000
    /// The time for which all actions wait after the process has continued.
    static let grace: Int64 = 100_000_000
    /// The last instant, some three hundred years after the start.
    private static let endOfTime = Int64.max - 2_000_000_000

    private var wheel = TimerWheel()
    /// The setting of the system's timer; nil if the setting doesn't matter.
    private(set) var alarm: FiringWindow?
    /// The number of the current runner, counted from zero.
    private(set) var runner = 0
    private var isRunning = false
    /// The instant at which the current runner took its action; nil while it has no action.
    private var began: Int64?
    /// The number of earlier runners that haven't ended yet.
    private var blocked = 0
    /// The instant before which no action runs, because the process has been stopped.
    private var graceEnd: Int64 = 0

    /// The time by which an action may be late: a hundredth of its delay, at least 1 ms and at most 1 s.
    ///
    /// Zero for an action without a delay, which must not wait at all.
    static func leeway(after delay: Int64) -> Int64 {
        delay > 0 ? min(max(delay / 100, 1_000_000), 1_000_000_000) : 0
    }

    mutating func insert(
        after delay: Int64, now: Int64, _ action: @escaping @Sendable () -> Void
    ) -> TimerWheel.ID {
        let instant = delay < Self.endOfTime - now ? now + delay : Self.endOfTime
        let end = delay > 0 ? TimerWheel.endOfTick(of: instant) : now
        expect(FiringWindow(earliest: end, latest: instant + Self.leeway(after: delay)))
        return wheel.insert(at: instant, now: now, action)
    }

    /// Takes an action out; nil if it isn't there any more.
    ///
    /// The alarm stays as it is. If it then fires and nothing is due, it is set again.
    mutating func remove(_ id: TimerWheel.ID) -> (@Sendable () -> Void)? { wheel.remove(id) }

    /// Reacts to the system's timer, which has fired.
    ///
    /// - Returns: True if the caller must start the current runner.
    mutating func ring(at now: Int64) -> Bool {
        if waits(at: now) { return false }
        if let alarm, alarm.earliest <= now { self.alarm = nil }
        guard wheel.hasDue(at: now) else {
            alarm = upcoming(at: now)
            return false
        }
        if isRunning {
            // A runner that has just started, or whose action ends in time, takes the due actions itself.
            guard let began else { return false }
            if now - began < Self.patience {
                expect(Self.watch(from: began))
                return false
            }
            guard blocked < Self.mostBlocked else { return false }
            blocked += 1
            runner += 1
        }
        isRunning = true
        began = nil
        return true
    }

    /// Returns whether all actions have to wait, because the process was stopped: then the alarm is very late.
    private mutating func waits(at now: Int64) -> Bool {
        if let alarm, now - alarm.latest > Self.longestLateness { graceEnd = now + Self.grace }
        if now >= graceEnd { return false }
        alarm = FiringWindow(
            earliest: graceEnd, latest: graceEnd + Self.leeway(after: Self.grace))
        return true
    }

    /// Takes the next action for a runner; nil if the runner must end.
    mutating func takeAction(for runner: Int, at now: Int64) -> (@Sendable () -> Void)? {
        guard runner == self.runner else {
            // The action of this runner blocked, so another runner took over. That runner may be blocked as well.
            blocked -= 1
            expect(FiringWindow(earliest: now, latest: now))
            return nil
        }
        let action = now < graceEnd ? nil : wheel.removeDue(at: now)
        isRunning = action != nil
        began = isRunning ? now : nil
        if !isRunning {
            alarm = upcoming(at: now)
        } else if let next = wheel.hasDue(at: now) ? Self.watch(from: now) : upcoming(at: now) {
            // If more actions are due, the alarm fires to check if this action blocks. Otherwise it fires for the next
            // action.
            expect(next)
        }
        return action
    }

    /// Moves the alarm to the wanted window, unless the alarm fires early enough anyway.
    private mutating func expect(_ wanted: FiringWindow) {
        if wanted.latest < alarm?.latest ?? .max { alarm = wanted }
    }

    /// The window in which to check if the action that began at an instant blocks.
    private static func watch(from began: Int64) -> FiringWindow {
        FiringWindow(earliest: began + patience, latest: began + patience + patience / 10)
    }

    /// The window in which to check for due actions again; nil if there are no actions.
    private mutating func upcoming(at now: Int64) -> FiringWindow? {
        guard let wakeUp = wheel.nextWakeUp() else { return nil }
        // An action's delay runs from the moment it was scheduled, which isn't after `now`, and no action is due before
        // `start`. So each delay is at least `start - now`, and the alarm may fire after `start` by the leeway for such
        // a delay.
        let start = wakeUp - TimerWheel.tick
        return FiringWindow(
            earliest: wakeUp, latest: start + Self.leeway(after: max(start - now, 1)))
    }
}

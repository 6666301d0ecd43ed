/// What the live scheduler decides, without its threads: when the system's timer fires, and which runner runs
/// the actions that are due.
///
/// Instants and delays are in nanoseconds. Not safe to share by itself.
struct LiveTimers {
    /// The interval in which the system's timer has to fire.
    struct FiringWindow: Equatable {
        let earliest: Int64
        let latest: Int64
    }

    /// How long an action may delay the next one.
    static let patience: Int64 = 50_000_000
    /// How many actions may block at a time; at this number the next one waits until one of them ends.
    static let mostBlocked = 16
    /// Some three hundred years after the start.
    private static let endOfTime = Int64.max - 2_000_000_000

    private var wheel = TimerWheel()
    /// The setting of the system's timer; nil if it does not matter.
    private(set) var alarm: FiringWindow?
    /// The number of the current runner, which takes the due actions one after another; counted from zero.
    private(set) var runner = 0
    private var isRunning = false
    /// When the current runner took its action; nil while it has none.
    private var began: Int64?
    /// How many earlier runners have not ended yet.
    private var blocked = 0

    /// How late an action may be: a hundredth of its delay, a millisecond at least, a second at most.
    ///
    /// An action without a delay must not wait at all.
    static func leeway(after delay: Int64) -> Int64 {
        delay > 0 ? min(max(delay / 100, 1_000_000), 1_000_000_000) : 0
    }

    /// Adds an action.
    mutating func insert(
        after delay: Int64, now: Int64, _ action: @escaping @Sendable () -> Void
    ) -> TimerWheel.ID {
        let instant = delay < Self.endOfTime - now ? now + delay : Self.endOfTime
        let end = delay > 0 ? TimerWheel.endOfTick(of: instant) : now
        expect(FiringWindow(earliest: end, latest: instant + Self.leeway(after: delay)))
        return wheel.insert(at: instant, now: now, action)
    }

    /// Takes an action out; nil if it is not there any more.
    ///
    /// The alarm stays as it is: when it fires, nothing is due, and it is set again.
    mutating func remove(_ id: TimerWheel.ID) -> (@Sendable () -> Void)? { wheel.remove(id) }

    /// Is notified that the system's timer has fired.
    /// - Returns: Whether the caller has to start the current runner.
    mutating func ring(at now: Int64) -> Bool {
        if let alarm, alarm.earliest <= now { self.alarm = nil }
        guard wheel.hasDue(at: now) else {
            alarm = upcoming(at: now)
            return false
        }
        if isRunning {
            // A runner that has just started, or ends an action in time, takes the due actions itself.
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

    /// Takes the next action for a runner; nil if the runner is to end.
    mutating func take(for runner: Int, at now: Int64) -> (@Sendable () -> Void)? {
        guard runner == self.runner else {
            // Its action blocked, and another runner has taken over, which may be blocked as well.
            blocked -= 1
            expect(FiringWindow(earliest: now, latest: now))
            return nil
        }
        let action = wheel.removeDue(at: now)
        isRunning = action != nil
        began = isRunning ? now : nil
        if !isRunning {
            alarm = upcoming(at: now)
        } else if let next = wheel.hasDue(at: now) ? Self.watch(from: now) : upcoming(at: now) {
            // In case this action blocks.
            expect(next)
        }
        return action
    }

    /// Sets the alarm early enough for the wanted one, and not earlier than needed.
    private mutating func expect(_ wanted: FiringWindow) {
        if wanted.latest < alarm?.latest ?? .max { alarm = wanted }
    }

    /// When to check whether the action that began at an instant blocks.
    private static func watch(from began: Int64) -> FiringWindow {
        FiringWindow(earliest: began + patience, latest: began + patience + patience / 10)
    }

    /// When to check for due actions again.
    private mutating func upcoming(at now: Int64) -> FiringWindow? {
        guard let wakeUp = wheel.nextWakeUp() else { return nil }
        // Every action that is due then has at least that much time left, and may be late by it.
        let start = wakeUp - TimerWheel.tick
        return FiringWindow(
            earliest: wakeUp, latest: start + Self.leeway(after: max(start - now, 1)))
    }
}

import Futures

/// The state that a rate limiter's lock guards: the machine, and its only timer.
///
/// A timer is set outside the lock. So each has a number, and has no effect if no call waits any more, or
/// another has been set. Removed values are returned, and released outside the lock.
struct RateLimiterState: Sendable {
    typealias Turn = InternalPromise<Void>

    /// A timer that the caller sets.
    struct Alarm: Sendable {
        let number: Int
        let instant: SchedulerInstant
    }

    /// The result of an alarm.
    struct Ringing {
        let passing: [Turn]
        let next: Alarm?
        /// The timer that has run.
        let timer: (any ScheduledAction)?
    }

    /// The objects of a removed call.
    struct Departure {
        let turn: Turn?
        /// The timer that is no longer needed.
        let timer: (any ScheduledAction)?
    }

    private(set) var machine: RateLimiterMachine<Turn>
    private var timer: (any ScheduledAction)?
    private var lastAlarm = 0

    init(_ machine: RateLimiterMachine<Turn>) { self.machine = machine }

    /// Lets a call pass, or decides whether it may wait.
    mutating func enter(
        at now: SchedulerInstant, within bound: Duration
    ) -> RateLimiterMachine<Turn>.Entry {
        machine.enter(at: now, within: bound)
    }

    /// Lets a call pass, or queues it; the only call in the queue needs a timer.
    mutating func join(
        _ turn: Turn, at now: SchedulerInstant, within bound: Duration
    ) -> (entry: RateLimiterMachine<Turn>.Entry, alarm: Alarm?) {
        let entry = machine.enter(turn, at: now, within: bound)
        guard case .queued(_, length: 1) = entry else { return (entry, nil) }
        return (entry, nextAlarm())
    }

    /// Keeps the timer of an alarm.
    ///
    /// - Returns: False if it is not needed any more.
    mutating func keep(_ timer: any ScheduledAction, for alarm: Alarm) -> Bool {
        guard alarm.number == lastAlarm else { return false }
        self.timer = timer
        return true
    }

    /// Lets the due calls pass; nil if the alarm is not valid any more.
    mutating func ring(_ alarm: Int, at now: SchedulerInstant) -> Ringing? {
        guard alarm == lastAlarm else { return nil }
        let passing = machine.popPassing(at: now)
        let timer = takeTimer()
        return Ringing(passing: passing, next: nextAlarm(), timer: timer)
    }

    /// Removes a call that was given up from the queue.
    mutating func leave(_ ticket: Int) -> Departure {
        let turn = machine.leave(ticket)
        let isLast = turn != nil && machine.queued == 0
        return Departure(turn: turn, timer: isLast ? takeTimer() : nil)
    }

    private mutating func nextAlarm() -> Alarm? {
        guard let instant = machine.next else { return nil }
        lastAlarm += 1
        return Alarm(number: lastAlarm, instant: instant)
    }

    private mutating func takeTimer() -> (any ScheduledAction)? {
        defer { timer = nil }
        lastAlarm += 1
        return timer
    }
}

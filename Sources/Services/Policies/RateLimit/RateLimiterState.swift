import PledgeFutures

/// The state that a rate limiter's lock guards: the machine, and its only timer.
///
/// A timer is set outside the lock. So each has a number, and has no effect if no call waits any more, or
/// another has been set. Removed values are returned, and released outside the lock.
struct RateLimiterState: Sendable {
    typealias Permit = InternalPromise<Void>

    /// A timer that the caller sets.
    struct TimerRequest: Sendable {
        let number: Int
        let instant: SchedulerInstant
    }

    /// The calls whose time has come.
    struct DueCalls {
        let passing: [Permit]
        let next: TimerRequest?
        /// The timer that has run.
        let timer: (any ScheduledAction)?
    }

    /// The objects of a removed call.
    struct LeaveResult {
        let permit: Permit?
        /// The timer that is no longer needed.
        let timer: (any ScheduledAction)?
    }

    private(set) var machine: RateLimiterMachine<Permit>
    private var timer: (any ScheduledAction)?
    private var lastTimer = 0

    init(_ machine: RateLimiterMachine<Permit>) { self.machine = machine }

    /// Lets a call pass, or decides whether it may wait.
    mutating func enter(
        at now: SchedulerInstant, within bound: Duration
    ) -> RateLimiterMachine<Permit>.Entry {
        machine.enter(at: now, within: bound)
    }

    /// Lets a call pass, or queues it; the only call in the queue needs a timer.
    mutating func join(
        _ permit: Permit, at now: SchedulerInstant, within bound: Duration
    ) -> (entry: RateLimiterMachine<Permit>.Entry, request: TimerRequest?) {
        let entry = machine.enter(permit, at: now, within: bound)
        guard case .queued(_, length: 1) = entry else { return (entry, nil) }
        return (entry, nextTimer())
    }

    /// Keeps the timer that was set for a request.
    ///
    /// - Returns: False if it is not needed any more.
    mutating func keep(_ timer: any ScheduledAction, for request: TimerRequest) -> Bool {
        guard request.number == lastTimer else { return false }
        self.timer = timer
        return true
    }

    /// Lets the due calls pass; nil if the timer is not valid any more.
    mutating func fire(_ number: Int, at now: SchedulerInstant) -> DueCalls? {
        guard number == lastTimer else { return nil }
        let passing = machine.popPassing(at: now)
        let timer = takeTimer()
        return DueCalls(passing: passing, next: nextTimer(), timer: timer)
    }

    /// Removes a call that was given up from the queue.
    mutating func leave(_ ticket: Int) -> LeaveResult {
        let permit = machine.leave(ticket)
        let isLast = permit != nil && machine.queued == 0
        return LeaveResult(permit: permit, timer: isLast ? takeTimer() : nil)
    }

    private mutating func nextTimer() -> TimerRequest? {
        guard let instant = machine.next else { return nil }
        lastTimer += 1
        return TimerRequest(number: lastTimer, instant: instant)
    }

    private mutating func takeTimer() -> (any ScheduledAction)? {
        defer { timer = nil }
        lastTimer += 1
        return timer
    }
}

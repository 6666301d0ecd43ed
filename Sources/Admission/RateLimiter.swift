public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Limits the rate of calls; a call that comes too early waits or is refused.
    ///
    /// ```swift
    /// let limiter = RateLimiter(rate: 10, per: .seconds(1), burst: 5, maxWait: .seconds(2))
    /// let api = stack(.rateLimit(sharing: limiter), over: transport)
    /// ```
    ///
    /// A call that may pass starts at once, on the caller's thread. Waiting calls start in order, on the scheduler's
    /// thread. A call that would have to wait longer than `maxWait`, or until its own deadline, fails at once with
    /// `ServiceError.Code.rateLimited`. The error's `ServiceError.retryAt` and `ServiceError.retryAfter` say when
    /// the call would pass. A call that is cancelled while it waits doesn't count against the rate, unless several
    /// machines share the limiter's bucket. Errors of the service pass through unchanged.
    ///
    /// Put it directly around the calls that count against the quota: below the retry, the hedge and the breaker, and
    /// above the timeout of an attempt. In this place, no call waits for its turn only to be refused by another policy.
    ///
    /// - Parameter limiter: The limiter, shared by all stacks with one common rate.
    public static func rateLimit(sharing limiter: RateLimiter) -> Middleware {
        Middleware(named: "rateLimit", isIdle: { limiter.isIdle }) { service in
            { input in limiter.call(service, input) }
        }
    }
}

/// A limit on the rate of calls, with a queue for calls that come too early.
///
/// ```swift
/// let limiter = RateLimiter(rate: 100, per: .seconds(60), burst: 20)
/// let products = stack(.rateLimit(sharing: limiter), over: loadProduct)
/// let prices = stack(.rateLimit(sharing: limiter), over: loadPrice)
/// ```
///
/// It is a token bucket, full at first, that holds at most `burst` tokens. A call takes one token, and `rate` tokens
/// flow back evenly in each period. So in any time t, at most burst + rate × t ÷ period calls get their turn, exact to
/// the nanosecond. A call counts from its turn on, whatever its result. Waiting calls are served in order, and later
/// calls can't overtake them. When a waiting call leaves, the calls behind it move up.
///
/// The turns of waiting calls are fixed in time, so a late timer doesn't lower the rate: all calls that are due start
/// at once. This makes up for delays of up to 100 ms, or up to the time that the whole burst takes at this rate, if
/// that is longer. After a longer delay, for example because the process was stopped, the remaining calls get new
/// turns.
///
/// Create one for each quota, and pass it to every stack that shares the quota. You can use it from any thread; a call
/// takes a lock for constant time. (The generic cell rate algorithm, ITU-T I.371; Tower; Polly.)
///
/// The product PledgeTraffic has a limiter whose bucket is in a store, so that the limit holds for several machines
/// together.
public final class RateLimiter: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The number of calls that wait now, in this process.
    public var queued: Int {
        state.withLock { $0.machine.queued } + (shared?.queued ?? 0)
    }

    /// Creates a limiter with a full bucket.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - rate: The number of calls that pass in a period; 1…1,000,000,000.
    ///   - period: The period, from a nanosecond to 366 days.
    ///   - burst: The number of calls that may pass at once after an idle time; 1…1,000,000,000. With one, calls are
    ///     spaced evenly.
    ///   - maxWait: The maximum wait of a call, decided when the call arrives; zero or more. With zero, calls that come
    ///     too early are refused. For example, if `burst` is one, and calls come at random times at four fifths of the
    ///     rate, nearly half of them are refused.
    ///   - scheduler: The clock for the waits. The limiter schedules at most one action on it at a time.
    public convenience init(
        named name: String? = nil, rate: Int, per period: Duration, burst: Int = 1,
        maxWait: Duration = .seconds(1), on scheduler: some FutureScheduler = .live
    ) {
        self.init(
            named: name, rate: rate, per: period, burst: burst, maxWait: maxWait, sharedBy: nil,
            on: scheduler)
    }

    /// Creates a limiter with its own bucket, or one with a bucket that several machines share.
    ///
    /// - Parameter makeShared: Makes the shared bucket, for this limiter and for each limiter that is made like it.
    package init(
        named name: String?, rate: Int, per period: Duration, burst: Int, maxWait: Duration,
        sharedBy makeShared: (@Sendable () -> any SharedRateLimit)?,
        on scheduler: any FutureScheduler
    ) {
        precondition(
            (1...1_000_000_000).contains(rate),
            "a rate limiter needs a rate in 1...1000000000, not \(rate)")
        precondition(
            (.nanoseconds(1) ... .seconds(366 * 24 * 3_600)).contains(period),
            "a rate limiter needs a period from a nanosecond to 366 days, not \(period)")
        precondition(
            (1...1_000_000_000).contains(burst),
            "a rate limiter needs a burst in 1...1000000000, not \(burst)")
        precondition(
            maxWait >= .zero, "a rate limiter needs a maxWait of zero or more, not \(maxWait)")
        state = Locked(
            RateLimiterState(
                RateLimiterMachine(
                    rate: rate, per: period, burst: burst, lateness: .milliseconds(100))))
        self.name = name
        self.maxWait = maxWait
        self.scheduler = scheduler
        shared = makeShared?()
        renew = { name, scheduler in
            RateLimiter(
                named: name, rate: rate, per: period, burst: burst, maxWait: maxWait,
                sharedBy: makeShared, on: scheduler)
        }
    }

    package func renewed(in place: PolicyPlace) -> RateLimiter {
        renew(name ?? place.name, place.clock(or: scheduler))
    }

    private let renew: @Sendable (String, any FutureScheduler) -> RateLimiter
    private let shared: (any SharedRateLimit)?
    private let state: Locked<RateLimiterState>
    private let maxWait: Duration
    package let scheduler: any FutureScheduler
}

/// A rate limiter's bucket that several machines share.
package protocol SharedRateLimit: Sendable {
    /// The number of calls that wait for their turns, in this process.
    var queued: Int { get }

    /// Calls a service when its turn has come.
    func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input, for limiter: RateLimiter
    ) -> Future<Output>
}

extension RateLimiter {
    /// True if the limiter is in the same state as a new one.
    package var isIdle: Bool {
        let now = scheduler.now
        return state.withLock { $0.machine.isIdle(at: now) } && (shared?.queued ?? 0) == 0
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        shared?.call(service, input, for: self) ?? callAlone(service, input)
    }

    /// The longest wait that may begin now; a wait that would end after the deadline isn't started.
    package func bound(in context: CallContext) -> Duration {
        min(maxWait, context.remaining.map { $0 - .nanoseconds(1) } ?? maxWait)
    }

    /// Makes a call when it's its turn in this process's own bucket.
    package func callAlone<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let now = scheduler.now
        let bound = bound(in: context)
        var entry = state.withLock { $0.admitCall(at: now, within: bound) }
        if entry == .mayWait {
            let permit = InternalPromise<Void>()
            entry = join(permit, at: now, within: bound)
            if case .queued(let ticket, let length) = entry {
                return wait(for: permit, ticket, length, since: now, in: context, service, input)
            }
        }
        guard case .refused(let instant) = entry else { return service(input) }
        return refuse(input, until: instant, at: now, in: context)
    }

    /// Refuses a call that would not pass before an instant.
    package func refuse<Output: Sendable>(
        _ input: some Sendable, until instant: SchedulerInstant, at now: SchedulerInstant,
        in context: CallContext
    ) -> Future<Output> {
        context.refuse(
            with: ServiceError(
                .rateLimited, policy: Self.policy, policyName: name, retryAt: instant,
                retryAfter: max(.zero, now.duration(to: instant)), subject: loggedName(of: input)))
    }

    /// Joins the queue, unless the call may now pass or would have to wait too long.
    private func join(
        _ permit: InternalPromise<Void>, at now: SchedulerInstant, within bound: Duration
    ) -> RateLimiterMachine<InternalPromise<Void>>.Entry {
        let (entry, request) = state.withLock { $0.join(permit, at: now, within: bound) }
        if let request { set(request) }
        return entry
    }

    private func wait<Input: Sendable, Output: Sendable>(
        for permit: InternalPromise<Void>, _ ticket: Int, _ length: Int,
        since start: SchedulerInstant,
        in context: CallContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        // The call can start only when the code below observes its permit. So `queued` is reported before the call's
        // start, even if another thread gives the permit now.
        context.report(.queued(length: length), by: Self.policy, named: name)
        permit.onCancel { self.leave(ticket) }
        let caller = CallerContext(keeping: context)
        return permit.flatMap { self.start(since: start, for: caller, service, input) }
    }

    /// Starts a call whose turn has come.
    package func start<Input: Sendable, Output: Sendable>(
        since start: SchedulerInstant, for caller: CallerContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let waited = start.duration(to: scheduler.now)
        // A late timer may bring the turn after the deadline.
        if !caller.context.hasTime(for: .zero) {
            return refuseLate(input, after: waited, in: caller.context)
        }
        caller.context.report(.dequeued(after: waited), by: Self.policy, named: name)
        return caller.run { service(input) }
    }

    /// Refuses a call whose turn comes after its deadline.
    package func refuseLate<Output: Sendable>(
        _ input: some Sendable, after waited: Duration, in context: CallContext
    ) -> Future<Output> {
        context.refuse(
            with: ServiceError(
                .deadlineExceeded, policy: Self.policy, policyName: name, limit: waited,
                subject: loggedName(of: input)))
    }

    private func leave(_ ticket: Int) {
        state.withLock { $0.leave(ticket) }.timer?.cancel()
    }

    private func set(_ request: RateLimiterState.TimerRequest) {
        let timer = scheduler.schedule(after: scheduler.now.duration(to: request.instant)) {
            self.fire(request.number)
        }
        let isNeeded = state.withLock { $0.keep(timer, for: request) }
        if !isNeeded { timer.cancel() }
    }

    /// Lets all due calls pass.
    private func fire(_ number: Int) {
        let now = scheduler.now
        guard let due = state.withLock({ $0.fire(number, at: now) }) else { return }
        if let request = due.next { set(request) }
        for permit in due.passing { permit.resolve() }
    }
}

/// The state of a rate limiter: the time at which the next call is due, and the waiting calls.
///
/// It is the generic cell rate algorithm (ITU-T I.371), a token bucket that needs no refilling. A call is due one
/// interval after the previous call, and may come early by burst − 1 intervals. Times are counted in parts of a
/// nanosecond. A nanosecond has as many parts as calls may pass in a period. So an interval is a whole number at any
/// rate, and only results are rounded, up to the next nanosecond.
///
/// While a call waits, new calls go to the end of the queue. The turns of waiting calls are fixed in time, one interval
/// apart. So a late timer delays no other call: all calls that are due pass at once.
struct RateLimiterMachine<Waiter: Sendable>: Sendable {
    /// The limiter's decision about a call.
    enum Entry: Equatable {
        /// The call passes now.
        case passes
        /// The call may wait, because it would pass in time.
        case mayWait
        /// The call waits in a queue; the `length` includes this call.
        case queued(ticket: Int, length: Int)
        /// The call is refused, because it would not pass before `retryAt`.
        case refused(retryAt: SchedulerInstant)
    }

    private let partsOfNanosecond: Int128
    private let interval: Int128
    /// How long before it is due a call may come, so that a whole burst passes at once.
    private let tolerance: Int128
    /// How late waiting calls may be, beyond the tolerance, without getting new turns.
    private let lag: Int128
    /// The time at which the next call is due; nil before the first call.
    private var due: Int128?
    private var line = WaitQueue<Waiter>()

    /// - Parameter lateness: If a timer is late by no more than this, or by no more than the time of a whole burst, the
    ///   turns of all waiting calls stay as they were. If it is later, the remaining calls get new turns. So a process
    ///   that was stopped doesn't make all its calls at once.
    init(rate: Int, per period: Duration, burst: Int, lateness: Duration) {
        partsOfNanosecond = Int128(rate)
        interval = Int128(period.nanoseconds)
        tolerance = interval * Int128(burst - 1)
        lag = max(0, Int128(lateness.nanoseconds) * partsOfNanosecond - tolerance)
    }

    var queued: Int { line.count }

    /// Returns whether a whole burst may pass and no call waits.
    func isIdle(at now: SchedulerInstant) -> Bool {
        line.isEmpty && (due.map { instant(of: $0) <= now } ?? true)
    }

    /// The instant at which the head of the queue passes; nil if no call waits.
    var next: SchedulerInstant? {
        line.isEmpty ? nil : due.map { instant(of: $0 - tolerance) }
    }

    mutating func admitCall(at now: SchedulerInstant, within bound: Duration) -> Entry {
        guard let due else { return pass(at: now) }
        // Each waiting call moves the due time by one interval, and the head of the queue starts now at the earliest.
        let ahead = Int128(line.count) * interval
        let instant = instant(of: start(at: now, due) + ahead - tolerance)
        if line.isEmpty, instant <= now { return pass(at: now) }
        return now.duration(to: instant) <= bound ? .mayWait : .refused(retryAt: instant)
    }

    /// Lets a call pass, or queues it.
    mutating func admitOrQueue(
        _ waiter: Waiter, at now: SchedulerInstant, within bound: Duration
    ) -> Entry {
        let entry = admitCall(at: now, within: bound)
        guard entry == .mayWait else { return entry }
        let ticket = line.append(waiter)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Removes the calls that may pass now from the queue, in order.
    mutating func popPassing(at now: SchedulerInstant) -> [Waiter] {
        var passing: [Waiter] = []
        while let next, next <= now {
            // This comes before the call is removed, because `pass` allows for a late turn only while a call waits.
            _ = pass(at: now)
            if let waiter = line.popFirst() { passing.append(waiter) }
        }
        return passing
    }

    /// Removes a cancelled call from the queue; the calls behind it move up.
    mutating func leave(_ ticket: Int) -> Waiter? { line.remove(ticket) }

    private mutating func pass(at now: SchedulerInstant) -> Entry {
        due = start(at: now, due) + interval
        return .passes
    }

    /// Returns the start of the interval of a call that passes now: its due time, or now if the due time has passed.
    ///
    /// Waiting calls keep their due times while they lag by no more than `lag`. A call that is less than a nanosecond
    /// late counts as on time, because the clock can't be more exact. So rounding errors don't add up.
    private func start(at now: SchedulerInstant, _ due: Int128?) -> Int128 {
        let earliest = Int128(now.offset.nanoseconds) * partsOfNanosecond - (line.isEmpty ? 0 : lag)
        guard let due, earliest - due < partsOfNanosecond else { return earliest }
        return due
    }

    /// Returns a time as an instant, rounded up to a whole nanosecond.
    private func instant(of parts: Int128) -> SchedulerInstant {
        let (quotient, remainder) = parts.quotientAndRemainder(dividingBy: partsOfNanosecond)
        let nanoseconds = Int64(clamping: remainder > 0 ? quotient + 1 : quotient)
        return SchedulerInstant(offset: .nanoseconds(nanoseconds))
    }
}

/// The state behind a rate limiter's lock: the machine, and its only timer.
///
/// Timers are set outside the lock, so an old timer may still fire. Each timer has a number, by which an old one is
/// recognised. A timer has no effect if no call waits any more, or if another timer has been set. Removed objects are
/// returned, so that they are released outside the lock.
struct RateLimiterState: Sendable {
    typealias Permit = InternalPromise<Void>

    /// A timer that the caller must set.
    struct TimerRequest: Sendable {
        let number: Int
        let instant: SchedulerInstant
    }

    struct DueCalls {
        let passing: [Permit]
        let next: TimerRequest?
        /// The timer that has fired.
        let timer: (any ScheduledAction)?
    }

    /// The objects of a removed call.
    struct LeaveResult {
        let permit: Permit?
        /// The timer, if it isn't needed any more.
        let timer: (any ScheduledAction)?
    }

    private(set) var machine: RateLimiterMachine<Permit>
    private var timer: (any ScheduledAction)?
    private var lastTimer = 0

    init(_ machine: RateLimiterMachine<Permit>) { self.machine = machine }

    mutating func admitCall(
        at now: SchedulerInstant, within bound: Duration
    ) -> RateLimiterMachine<Permit>.Entry {
        machine.admitCall(at: now, within: bound)
    }

    /// Lets a call pass, or queues it; the first call in the queue needs a timer.
    mutating func join(
        _ permit: Permit, at now: SchedulerInstant, within bound: Duration
    ) -> (entry: RateLimiterMachine<Permit>.Entry, request: TimerRequest?) {
        let entry = machine.admitOrQueue(permit, at: now, within: bound)
        guard case .queued(_, length: 1) = entry else { return (entry, nil) }
        return (entry, nextTimer())
    }

    /// Stores the timer that was set for a request.
    ///
    /// - Returns: False if the timer isn't needed any more.
    mutating func keep(_ timer: any ScheduledAction, for request: TimerRequest) -> Bool {
        guard request.number == lastTimer else { return false }
        self.timer = timer
        return true
    }

    /// Removes all due calls from the queue, and returns them; nil if the timer isn't valid any more.
    mutating func fire(_ number: Int, at now: SchedulerInstant) -> DueCalls? {
        guard number == lastTimer else { return nil }
        let passing = machine.popPassing(at: now)
        let timer = takeTimer()
        return DueCalls(passing: passing, next: nextTimer(), timer: timer)
    }

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

extension RateLimiter: RenewablePolicy {}

extension RateLimiter: StateNumbers {
    /// The label `rateLimit`.
    package static var policy: String { "rateLimit" }

    /// The calls that wait.
    package var gauges: [StateGauge: Double] { [.queued: Double(queued)] }
}

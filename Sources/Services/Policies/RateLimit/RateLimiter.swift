public import PledgeFutures

extension Middleware {
    /// Limits the rate of calls; a call that comes too early waits, or is refused.
    ///
    /// ```swift
    /// let limiter = RateLimiter(rate: 10, per: .seconds(1), burst: 5, maxWait: .seconds(2))
    /// let api = stack(.rateLimit(sharing: limiter), over: transport)
    /// ```
    ///
    /// A call that may pass is made at once, on the caller's thread. Waiting calls are made on the
    /// scheduler's thread, in their order. A call that would have to wait for longer than the limiter allows,
    /// or until the call's deadline, fails at once with ``ServiceError/Code/rateLimited``, whose
    /// ``ServiceError/retryAt`` and ``ServiceError/retryAfter`` give the time at which it would pass. A call
    /// that is cancelled while it waits takes no token. Errors of the service pass unchanged.
    ///
    /// Put it directly around what counts against the quota: beneath the retry, the hedge and the breaker, and
    /// above the timeout of an attempt, so that no call waits for its turn only to be refused.
    ///
    /// - Parameter limiter: The limiter, shared by all stacks with one rate.
    public static func rateLimit(sharing limiter: RateLimiter) -> Middleware {
        Middleware(named: "rateLimit", isIdle: { limiter.isIdle }) { service in
            { input in limiter.call(service, input) }
        }
    }
}

/// A rate limit for calls, and a queue of the calls that come too early.
///
/// ```swift
/// let limiter = RateLimiter(rate: 100, per: .seconds(60), burst: 20)
/// let products = stack(.rateLimit(sharing: limiter), over: loadProduct)
/// let prices = stack(.rateLimit(sharing: limiter), over: loadPrice)
/// ```
///
/// A token bucket: it holds `burst` tokens at most and is full at first, a call takes one, and
/// `rate` of them flow back in each period, evenly. So no more than burst + rate × t ÷ period calls have their
/// turn in any time t, to the nanosecond. Each counts from its turn, whatever its result. Waiting calls are
/// served in order, and no later call overtakes them; when one leaves, those behind move up.
///
/// A waiting call's turn is fixed on a line of time, so that late timers cost no rate: the calls that are due
/// are made at once. That bridges a delay of the whole burst, or of 100 ms if the burst is shorter. After a
/// longer one, as of a process that was stopped, the rest wait for new turns.
///
/// Make one for each quota, and pass it to every stack that shares it. It may be used from any thread; a
/// call takes a lock for constant time. (The generic cell rate algorithm, ITU-T I.371; Tower; Polly.)
public final class RateLimiter {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How many calls wait now.
    public var queued: Int { state.withLock { $0.machine.queued } }

    /// Makes a limiter with a full bucket.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - rate: How many calls pass in a period; 1…1,000,000,000.
    ///   - period: The period, from a nanosecond to 366 days.
    ///   - burst: How many calls may pass at once after an idle time; 1…1,000,000,000. With one, calls
    ///     are spaced evenly.
    ///   - maxWait: How long a call may wait for its turn, decided when it comes; zero or more. With zero it is
    ///     refused instead: with a burst of one, nearly half of the calls that come at random times, at four fifths
    ///     of the rate.
    ///   - scheduler: The clock of the waits. At most one action is scheduled at a time.
    public init(
        named name: String? = nil, rate: Int, per period: Duration, burst: Int = 1,
        maxWait: Duration = .seconds(1), on scheduler: some Scheduler = .live
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
    }

    private let state: Locked<RateLimiterState>
    private let maxWait: Duration
    private let scheduler: any Scheduler
}

extension RateLimiter {
    /// Whether it is in the same state as a new limiter.
    package var isIdle: Bool {
        let now = scheduler.now
        return state.withLock { $0.machine.isIdle(at: now) }
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let now = scheduler.now
        // A wait that would exceed the deadline is not begun.
        let bound = min(maxWait, context.remaining.map { $0 - .nanoseconds(1) } ?? maxWait)
        var entry = state.withLock { $0.enter(at: now, within: bound) }
        if entry == .mayWait {
            let permit = InternalPromise<Void>()
            entry = join(permit, at: now, within: bound)
            if case .queued(let ticket, let length) = entry {
                return wait(for: permit, ticket, length, since: now, in: context, service, input)
            }
        }
        guard case .refused(let instant) = entry else { return service(input) }
        let error = ServiceError(
            .rateLimited, policy: Self.policy, policyName: name, retryAt: instant,
            retryAfter: max(.zero, now.duration(to: instant)))
        context.report(.refused(error), by: Self.policy, named: name)
        return Future(error: error)
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
        // Reported before the permit has an observer, so that it is reported before the permit comes.
        context.report(.queued(length: length), by: Self.policy, named: name)
        permit.onCancel { self.leave(ticket) }
        let caller = KeptCaller(context)
        return permit.flatMap {
            let waited = start.duration(to: self.scheduler.now)
            // A late timer may bring the turn after the deadline.
            if let remaining = context.remaining, remaining <= .zero {
                let error = ServiceError(
                    .deadlineExceeded, policy: Self.policy, policyName: self.name,
                    limit: waited, subject: loggedName(of: input))
                context.report(.refused(error), by: Self.policy, named: self.name)
                return Future(error: error)
            }
            context.report(.dequeued(after: waited), by: Self.policy, named: self.name)
            return caller.run { service(input) }
        }
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

    /// Lets the due calls pass.
    private func fire(_ number: Int) {
        let now = scheduler.now
        guard let due = state.withLock({ $0.fire(number, at: now) }) else { return }
        if let request = due.next { set(request) }
        for permit in due.passing { permit.resolve() }
    }
}

extension RateLimiter: Sendable {}

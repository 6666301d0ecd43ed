public import PledgeAdmission
public import PledgeFutures
import PledgeServices

extension RateLimiter {
    /// Creates a limiter whose bucket is in a store, so that the limit holds for several machines together.
    ///
    /// Each call asks the store once, and starts on the thread on which the store answers. After a refusal, no call asks
    /// the store until the instant at which one could pass. A call that has to wait takes its turn out of the bucket when
    /// it arrives. So machines needn't agree on the time. But a call that is cancelled while it waits has used its turn,
    /// and the order of waiting calls isn't exact. If an answer of the store or a timer is late by up to l, calls pass up
    /// to l late: in any time t, at most burst + rate × (t + l) ÷ period calls pass. If a process was stopped, its waiting
    /// calls start together.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - rate: The number of calls that pass in a period; 1…1,000,000,000.
    ///   - period: The period, from a nanosecond to 366 days.
    ///   - burst: The number of calls that may pass at once after an idle time; 1…1,000,000,000.
    ///   - maxWait: The maximum wait of a call, decided when the call arrives; zero or more.
    ///   - shared: The place of the bucket; every machine must have the same settings. With nil, this limiter has its own
    ///     bucket.
    ///   - scheduler: The clock for the waits. The limiter schedules one action on it for each waiting call.
    public convenience init(
        named name: String? = nil, rate: Int, per period: Duration, burst: Int = 1,
        maxWait: Duration = .seconds(1), shared: SharedState?,
        on scheduler: some FutureScheduler = .live
    ) {
        self.init(
            named: name, rate: rate, per: period, burst: burst, maxWait: maxWait,
            sharedBy: shared.map { state in
                { @Sendable in
                    SharedRate(state, rate: rate, per: period, burst: burst, maxWait: maxWait)
                }
            }, on: scheduler)
    }
}

/// A rate limiter's bucket in a store.
///
/// A call that may wait takes its token when it arrives, which can leave the bucket below zero. Its turn comes when the
/// bucket would be back at zero. So each waiting call, on any machine, gets a turn of its own.
final class SharedRate: Sendable {
    /// The store's answer to a call.
    struct Turn {
        let isTaken: Bool
        /// The time until the call's turn; if it isn't taken, until a call that comes now would pass.
        let wait: Duration
        /// The time until the next call's turn.
        let next: Duration
    }

    private struct Local {
        var queued = 0
        /// No call gets a turn before this instant; nil if unknown.
        var earliest: SchedulerInstant?
    }

    /// The largest sum of rounding errors, in tokens.
    private let tolerance: Double
    private let state: SharedState
    private let key: String
    private let tokensPerSecond: Double
    private let burst: Double
    /// How long the store must remember the bucket: until it's full again, however long calls may wait.
    ///
    /// It doesn't depend on a call's own deadline, because other calls may have overdrawn the bucket further.
    private let lifetime: Duration
    private let local = Locked(Local())

    init(
        _ state: SharedState, rate: Int, per period: Duration, burst: Int, maxWait: Duration
    ) {
        self.state = state
        key = state.key + ":rateLimit"
        tokensPerSecond = Double(rate) / period.inSeconds
        self.burst = Double(burst)
        tolerance = 1e-9 + Double(burst) * 1e-14
        let tenYears = 3650 * 86_400.0
        let untilFull = self.burst / tokensPerSecond + maxWait.inSeconds
        lifetime = .seconds(min(tenYears, untilFull + 1))
    }

    /// The number of calls that wait for their turns.
    var queued: Int { local.withLock { $0.queued } }

    func changeQueued(by change: Int) -> Int {
        local.withLock {
            $0.queued += change
            return $0.queued
        }
    }

    /// An instant before which no call gets a turn; nil if unknown.
    var earliest: SchedulerInstant? { local.withLock { $0.earliest } }

    func noteEarliest(_ earliest: SchedulerInstant) {
        local.withLock { $0.earliest = max($0.earliest ?? earliest, earliest) }
    }

    /// Takes a turn that comes within a bound.
    func takeTurn(within bound: Duration, for asker: SharedState.Asker) -> Future<Turn?> {
        let overdraft = max(0, bound.inSeconds) * tokensPerSecond + tolerance
        let request = BucketRequest(
            1, from: key, capacity: burst, tokensPerSecond: tokensPerSecond, overdraft: overdraft,
            lifetime: lifetime)
        return state.ask(for: asker) { $0.takeTokens(request) }.map { grant in
            grant.map { grant in
                Turn(
                    isTaken: grant.isGranted,
                    wait: self.time(until: grant.isGranted ? 0 : 1, from: grant.level),
                    next: self.time(until: 1, from: grant.level))
            }
        }
    }

    /// Returns the time until the bucket holds a number of tokens, rounded up to a whole nanosecond.
    private func time(until tokens: Double, from level: Double) -> Duration {
        let missing = tokens - level
        guard missing > 2 * tolerance, missing.isFinite else { return .zero }
        let nanoseconds = missing / tokensPerSecond * 1e9
        // Without the small subtrahend, rounding errors would add a nanosecond.
        return .nanoseconds(Int64(min((nanoseconds - 1e-3).rounded(.up), 0x1p62)))
    }
}

extension SharedRate: SharedRateLimit {
    /// Asks the store for a turn.
    func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input, for limiter: RateLimiter
    ) -> Future<Output> {
        let context = CallContext.current
        let now = limiter.scheduler.now
        let bound = limiter.bound(in: context)
        if let instant = earliest, now.duration(to: instant) > bound {
            return limiter.refuse(input, until: instant, at: now, in: context)
        }
        let asking = takeTurn(
            within: bound,
            for: .init(
                policy: RateLimiter.policy, name: limiter.name, context: context,
                subject: loggedName(of: input)))
        if case .success(let turn)? = asking.result {
            return go(turn, limiter, since: now, in: context, nil, service, input)
        }
        let caller = CallerContext(keeping: context)
        return asking.flatMap { turn in
            self.go(turn, limiter, since: now, in: context, caller, service, input)
        }
    }

    /// Goes on after the store's answer: nil if it has failed.
    ///
    /// - Parameter caller: The caller's kept context and task-local values; nil on the caller's own thread.
    private func go<Input: Sendable, Output: Sendable>(
        _ turn: Turn?, _ limiter: RateLimiter, since start: SchedulerInstant,
        in context: CallContext, _ caller: CallerContext?,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard let turn else {
            return caller?.run { limiter.callAlone(service, input) }
                ?? limiter.callAlone(service, input)
        }
        // The store's clock was at `start` or later when it answered, so no call gets a turn before this instant.
        noteEarliest(start.advanced(by: turn.isTaken ? turn.next : turn.wait))
        let now = limiter.scheduler.now
        guard turn.isTaken else {
            return limiter.refuse(
                input, until: now.advanced(by: turn.wait), at: now, in: context)
        }
        // The store may have answered so late that the turn comes after the deadline.
        if caller != nil, let remaining = context.remaining, remaining <= turn.wait {
            return limiter.refuseLate(input, after: start.duration(to: now), in: context)
        }
        if turn.wait == .zero { return caller?.run { service(input) } ?? service(input) }
        let length = changeQueued(by: 1)
        context.report(.queued(length: length), by: RateLimiter.policy, named: limiter.name)
        let waiting = caller ?? CallerContext(keeping: context)
        return Future(value: ()).delay(turn.wait, on: limiter.scheduler)
            .onEnd { _ in _ = self.changeQueued(by: -1) }
            .flatMap { limiter.start(since: now, for: waiting, service, input) }
    }
}

public import PledgeFutures

extension Middleware {
    /// Fails a call that has no result in time, and cancels the call below.
    ///
    /// ```swift
    /// let api = stack(.deadline(.seconds(10)), .retry(), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// Below a retry, it limits one attempt, from its start until the headers of its response arrive. Two kinds of time
    /// don't count, because they say nothing about the service. One is the wait in this process for a connection of the
    /// transport, although a deadline counts this wait. The other is the time while bytes of a body move; if they stop,
    /// the transport's idle limit applies.
    ///
    /// An attempt never outlasts the call's deadline. If the deadline ends the attempt, the error is
    /// ``ServiceError/Code/deadlineExceeded``; if no time is left at the start, the service isn't called. Otherwise the
    /// error is ``ServiceError/Code/timedOut``. When a call runs out of time, its future settles on the scheduler's
    /// thread.
    ///
    /// - Parameters:
    ///   - limit: The time to wait. With zero, only a result that is available at once counts. Less than zero is a
    ///     programming error and traps.
    ///   - scheduler: The clock.
    public static func timeout(
        _ limit: Duration, on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        timeout(limit, excluding: CallRecord.Pause.allCases, on: scheduler)
    }

    /// Fails a call that has no result in time, without counting some kinds of pauses.
    package static func timeout(
        _ limit: Duration, excluding pauses: [CallRecord.Pause], on scheduler: some FutureScheduler
    ) -> Middleware {
        precondition(limit >= .zero, "timeout needs a duration of zero or more, not \(limit)")
        let timeout = Timeout(limit: limit, pauses: pauses, scheduler: scheduler)
        return Middleware(named: "timeout") { service in { input in timeout.call(service, input) } }
    }

    /// Fails a call that has no result within the limit for its input.
    ///
    /// If the limit is nil, the call may take any time.
    package static func timeout(
        excluding pauses: [CallRecord.Pause] = CallRecord.Pause.allCases,
        on scheduler: some FutureScheduler, of limit: @escaping @Sendable (Input) -> Duration?
    ) -> Middleware {
        let scheduler: any FutureScheduler = scheduler
        return Middleware(named: "timeout") { service in
            { input in
                guard let limit = limit(input) else { return service(input) }
                return Timeout(limit: limit, pauses: pauses, scheduler: scheduler)
                    .call(service, input)
            }
        }
    }
}

/// The time limit for one attempt.
struct Timeout: Sendable {
    static let name = "timeout"

    let limit: Duration
    /// The kinds of time that don't count.
    let pauses: [CallRecord.Pause]
    let scheduler: any FutureScheduler

    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        if let remaining = context.remaining, remaining <= .zero {
            return TimeAllowed(limit: limit, remaining: remaining).refuse(
                input, in: context, by: Self.name)
        }
        // In the record, the transport notes how long a request waits for a connection, and when bytes move.
        let record = context.record ?? CallRecord()
        let paused = record.time(of: pauses)
        let future = context.with(record: record).call(service, input)
        // A settled future needs no timer.
        if future.isSettled { return future }
        let clock = AttemptClock(
            limit: limit, pauses: pauses, start: scheduler.now, scheduler: scheduler,
            record: record, pausedBefore: paused)
        return cut(future, of: input, in: context, clock)
    }

    private func cut<Input: Sendable, Output>(
        _ future: Future<Output>, of input: Input, in context: CallContext, _ clock: AttemptClock
    ) -> Future<Output> {
        let allowed = TimeAllowed(limit: limit, remaining: context.remaining)
        let isDeadline = allowed.code == .deadlineExceeded
        return future.ending(
            within: allowed.duration, in: context, by: Self.name,
            expiring: { again in
                if let timer = clock.newTimer(in: context, then: again) { return .renewed(timer) }
                clock.record.runOutOfTime()
                return .failed(
                    clock.allowed(allowed, at: context.remaining).error(
                        by: Self.name, for: input, in: context))
            }
        ) { end in
            let timer = isDeadline ? context.clock(of: .attempt, on: scheduler) : scheduler
            return timer.schedule(after: allowed.duration, end)
        }
    }
}

/// A clock for one attempt, which skips the time that says nothing about the service.
private struct AttemptClock {
    let limit: Duration
    let pauses: [CallRecord.Pause]
    let start: SchedulerInstant
    let scheduler: any FutureScheduler
    let record: CallRecord
    /// The paused time that the record had counted before the attempt started.
    let pausedBefore: Duration

    /// Sets and returns a timer for the rest of the attempt's time; nil if no time is left.
    ///
    /// The call's deadline limits the rest.
    func newTimer(
        in context: CallContext, then end: @escaping @Sendable () -> Void
    ) -> (any ScheduledAction)? {
        guard paused > .zero else { return nil }
        let left = limit + paused - start.duration(to: scheduler.now)
        guard left > .zero else { return nil }
        guard let remaining = context.remaining, remaining <= left else {
            return scheduler.schedule(after: left, end)
        }
        return remaining > .zero
            ? context.clock(of: .attempt, on: scheduler).schedule(after: remaining, end) : nil
    }

    /// Returns the limit that ended the attempt; if the attempt was paused, this may be the deadline.
    func allowed(_ allowed: TimeAllowed, at remaining: Duration?) -> TimeAllowed {
        guard paused > .zero, let remaining, remaining <= .zero else { return allowed }
        return TimeAllowed(duration: start.duration(to: scheduler.now), code: .deadlineExceeded)
    }

    private var paused: Duration { record.time(of: pauses) - pausedBefore }
}

extension CallRecord {
    fileprivate func time(of pauses: [Pause]) -> Duration {
        pauses.reduce(.zero) { $0 + time(of: $1) }
    }
}

/// The time that a call may take: its policy's limit, or the time left until its deadline.
struct TimeAllowed: Equatable, Sendable {
    let duration: Duration
    /// The error code once the duration has passed.
    let code: ServiceError.Code

    func error(
        by policy: String, for input: some Sendable, in context: CallContext
    ) -> ServiceError {
        var error = ServiceError(
            code, policy: policy, limit: max(duration, .zero), subject: loggedName(of: input))
        if code == .deadlineExceeded { error.connectionWait = context.connectionWait }
        return error
    }

    /// Fails a call without calling the service.
    func refuse<Output: Sendable>(
        _ input: some Sendable, in context: CallContext, by policy: String
    ) -> Future<Output> {
        context.report(.timedOut(after: .zero), by: policy)
        return Future(error: error(by: policy, for: input, in: context))
    }
}

extension TimeAllowed {
    /// Creates the limit of an attempt, cut to the deadline.
    init(limit: Duration, remaining: Duration?) {
        if let remaining, remaining < limit || remaining <= .zero {
            self.init(duration: remaining, code: .deadlineExceeded)
        } else {
            self.init(duration: limit, code: .timedOut)
        }
    }
}

extension Future {
    /// Fails with an error if there is no result in time, and reports the timeout to observers.
    ///
    /// - Parameters:
    ///   - limit: The time that the report names.
    ///   - expire: Decides what happens when the time is over.
    ///   - setTimer: Sets the first timer.
    final func ending(
        within limit: Duration, in context: CallContext, by policy: String,
        expiring expire: @escaping TimeoutRule,
        timer setTimer: (@escaping @Sendable () -> Void) -> any ScheduledAction
    ) -> Future<Value> {
        guard context.isObserved else { return timed(expiring: expire, by: setTimer) }
        // When the timer fires, a result may already have arrived, and then the call hasn't timed out. So the event is
        // reported only when the timer's own error has become the result, before any other observer gets the error.
        let timer = TimerError.Timer()
        return timed(
            expiring: { again in
                switch expire(again) {
                case .renewed(let timer): .renewed(timer)
                case .failed(let error): .failed(TimerError(timer: timer, error: error))
                }
            }, by: setTimer
        ).mapError { failure in
            guard let timerError = failure as? TimerError, timerError.timer === timer else {
                return failure
            }
            context.report(.timedOut(after: limit), by: policy)
            return timerError.error
        }
    }
}

/// The error of a timer, recognised by the timer's identity.
private struct TimerError: Error {
    final class Timer: Sendable {}

    let timer: Timer
    let error: any Error
}

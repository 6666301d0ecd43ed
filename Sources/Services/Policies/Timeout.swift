public import Futures

extension Middleware {
    /// Fails a call that has no result in time, and cancels the call beneath.
    ///
    /// ```swift
    /// let api = stack(.deadline(.seconds(10)), .retry(), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// Beneath a retry it is the time of one attempt. It is never longer than the remaining time until the
    /// call's deadline. If that time is shorter, the error is ``ServiceError/Code/deadlineExceeded``; if no
    /// time remains, the service is not called. Otherwise the error is ``ServiceError/Code/timedOut``. The
    /// future then settles on the scheduler's thread.
    ///
    /// - Parameters:
    ///   - limit: How long to wait. Zero: only a result that is available at once counts. Less is a
    ///     programming error and traps.
    ///   - scheduler: The clock.
    public static func timeout(
        _ limit: Duration, on scheduler: some Scheduler = .live
    ) -> Middleware {
        precondition(limit >= .zero, "timeout needs a duration of zero or more, not \(limit)")
        let timeout = Timeout(limit: limit, scheduler: scheduler)
        return Middleware(named: "timeout") { service in { input in timeout.call(service, input) } }
    }
}

/// The time of one attempt.
struct Timeout: Sendable {
    static let name = "timeout"

    let limit: Duration
    let scheduler: any Scheduler

    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        if let remaining = context.remaining, remaining <= .zero {
            return TimeAllowed(limit: limit, remaining: remaining).refuse(
                input, in: context, by: Self.name)
        }
        let future = service(input)
        // A settled future needs no timer.
        return future.isSettled ? future : cut(future, of: input, in: context)
    }

    private func cut<Input: Sendable, Output>(
        _ future: Future<Output>, of input: Input, in context: CallContext
    ) -> Future<Output> {
        let allowed = TimeAllowed(limit: limit, remaining: context.remaining)
        return future.ending(within: allowed.duration, on: scheduler, in: context, by: Self.name) {
            allowed.error(by: Self.name, for: input)
        }
    }
}

/// How long a call may take: its policy's limit, or the remaining time until its deadline.
struct TimeAllowed: Equatable, Sendable {
    let duration: Duration
    /// The error code when the duration has passed.
    let code: ServiceError.Code

    /// The limit of an attempt, cut by the deadline.
    init(limit: Duration, remaining: Duration?) {
        if let remaining, remaining < limit || remaining <= .zero {
            duration = remaining
            code = .deadlineExceeded
        } else {
            duration = limit
            code = .timedOut
        }
    }

    func error(by policy: String, for input: some Sendable) -> ServiceError {
        ServiceError(
            code, policy: policy, limit: max(duration, .zero),
            subject: loggedName(of: input))
    }

    /// Fails a call without making it.
    func refuse<Output: Sendable>(
        _ input: some Sendable, in context: CallContext, by policy: String
    ) -> Future<Output> {
        context.report(.timedOut(after: .zero), by: policy)
        return Future(error: error(by: policy, for: input))
    }
}

extension Future {
    /// Fails with an error if there is no result in time, and reports it.
    final func ending(
        within limit: Duration, on scheduler: any Scheduler, in context: CallContext,
        by policy: String, failingWith error: @escaping @Sendable () -> ServiceError
    ) -> Future<Value> {
        guard context.isObserved else {
            return timeout(limit, on: scheduler) { error() }
        }
        // A result may arrive while the timer fires. So the event is reported when the timer's own error
        // arrives, before any other observer gets the error.
        let expiry = Expiry()
        return timeout(limit, on: scheduler) { expiry }.mapError { failure in
            guard (failure as? Expiry) === expiry else { return failure }
            context.report(.timedOut(after: limit), by: policy)
            return error()
        }
    }
}

/// The error of a timer, recognised by identity.
private final class Expiry: Error {}

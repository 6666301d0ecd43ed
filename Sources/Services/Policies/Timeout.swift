public import Futures

extension Middleware {
    /// Fails a call that has no result in time, and cancels what is beneath.
    ///
    /// ```swift
    /// let api = stack(.deadline(.seconds(10)), .retry(), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// Beneath a retry it is the time of one attempt. It is never longer than what is left until the
    /// call's deadline: where that is shorter, the error is ``ServiceError/Code/deadlineExceeded``, and
    /// where nothing is left, the service is not called. Otherwise it is
    /// ``ServiceError/Code/timedOut``. The result settles on the scheduler's thread then.
    ///
    /// - Parameters:
    ///   - limit: How long to wait. Zero: only a result that is there at once counts. Less is a
    ///     programming error and traps.
    ///   - scheduler: Whose time it is.
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
        // What is there already needs no timer.
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

/// How long a call may take: its policy's limit, or what is left until its deadline.
struct TimeAllowed: Equatable, Sendable {
    let duration: Duration
    /// What it is called when the duration has passed.
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
    /// Fails with an error if there is no result in time, and tells so.
    final func ending(
        within limit: Duration, on scheduler: any Scheduler, in context: CallContext,
        by policy: String, failingWith error: @escaping @Sendable () -> ServiceError
    ) -> Future<Value> {
        guard context.isObserved else {
            return timeout(limit, on: scheduler) { error() }
        }
        // A result may come while the timer fires. So the event is reported where the timer's own
        // error arrives, before any other observer hears of the error.
        let expiry = Expiry()
        return timeout(limit, on: scheduler) { expiry }.mapError { failure in
            guard (failure as? Expiry) === expiry else { return failure }
            context.report(.timedOut(after: limit), by: policy)
            return error()
        }
    }
}

/// What a timer fails a future with, to be known again.
private final class Expiry: Error {}

public import PledgeFutures

extension Middleware {
    /// Limits the time of a call for everything beneath, including retries and waits.
    ///
    /// ```swift
    /// let api = stack(.deadline(.seconds(10)), .retry(), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// The deadline is in the ``CallContext`` of each call beneath, so timeouts are cut to the remaining
    /// time, and no retry begins that cannot end in time. An earlier deadline of the context is kept. When
    /// the deadline has passed, the call fails with ``ServiceError/Code/deadlineExceeded``, on the
    /// scheduler's thread, and the call beneath is cancelled. If no time remains at the beginning, the
    /// service is not called.
    ///
    /// - Parameters:
    ///   - limit: How long the call may take. Zero: the service is not called. Less is a
    ///     programming error and traps.
    ///   - scheduler: The clock.
    public static func deadline(
        _ limit: Duration, on scheduler: some Scheduler = .live
    ) -> Middleware {
        precondition(limit >= .zero, "deadline needs a duration of zero or more, not \(limit)")
        let deadline = Deadline(limit: limit, scheduler: scheduler)
        return Middleware(named: "deadline") { service in
            { input in deadline.call(service, input, isUpload: false) }
        }
    }

    /// The same with a limit for each input; with nil, only the deadline of the caller's context ends the call.
    ///
    /// - Parameter isUpload: Whether the input has a body that is read while it is sent: the limit does not count the time
    ///   in which its bytes leave.
    package static func deadline(
        on scheduler: some Scheduler,
        excludingUploads isUpload: @escaping @Sendable (Input) -> Bool = { _ in false },
        of limit: @escaping @Sendable (Input) -> Duration?
    ) -> Middleware {
        let scheduler: any Scheduler = scheduler
        return Middleware(named: "deadline") { service in
            { input in
                Deadline(limit: limit(input), scheduler: scheduler)
                    .call(service, input, isUpload: isUpload(input))
            }
        }
    }
}

/// The time of a whole call.
struct Deadline: Sendable {
    static let name = "deadline"

    /// Nil: only the context's deadline holds.
    let limit: Duration?
    let scheduler: any Scheduler

    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, isUpload: Bool
    ) -> Future<Output> {
        let outer = CallContext.current
        let remaining = outer.remaining
        // Not an array's minimum: each call would allocate it.
        guard let time = limit.map({ min($0, remaining ?? $0) }) ?? remaining else {
            return service(input)
        }
        guard time > .zero else { return refuse(input, in: outer) }
        let end = scheduler.now.advanced(by: time)
        // An outer deadline at the same time keeps its own clock.
        let context: CallContext
        if time == remaining {
            context = outer
        } else if isUpload {
            let record = outer.record ?? CallRecord()
            context = outer.with(record: record).with(
                deadline: CallDeadline(at: end, on: scheduler, extendedBy: record))
        } else {
            context = outer.with(deadline: CallDeadline(at: end, on: scheduler))
        }
        let future = context.call(service, input)
        return future.isSettled ? future : cut(future, of: input, at: end, of: time, in: context)
    }

    private func cut<Input: Sendable, Output>(
        _ future: Future<Output>, of input: Input, at end: SchedulerInstant, of time: Duration,
        in context: CallContext
    ) -> Future<Output> {
        // The time that the service took to return is part of it.
        let left = scheduler.now.duration(to: end)
        return future.ending(
            within: left, on: scheduler, in: context, by: Self.name,
            extendingBy: { end in
                // An upload may have moved it; a deadline of another clock has its own policy.
                guard let deadline = context.deadline, deadline.isExtended else { return nil }
                return deadline.remaining > .zero
                    ? scheduler.schedule(after: deadline.remaining, end) : nil
            }
        ) { Self.error(after: time, for: input) }
    }

    private func refuse<Output>(_ input: some Sendable, in context: CallContext) -> Future<Output> {
        context.report(.timedOut(after: .zero), by: Self.name)
        return Future(error: Self.error(after: .zero, for: input))
    }

    private static func error(after time: Duration, for input: some Sendable) -> ServiceError {
        ServiceError(
            .deadlineExceeded, policy: name, limit: time,
            subject: loggedName(of: input))
    }
}

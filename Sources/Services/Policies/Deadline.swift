public import PledgeFutures

extension Middleware {
    /// Limits the time of a whole call, including the retries and waits below.
    ///
    /// ```swift
    /// let api = stack(.deadline(.seconds(10)), .retry(), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// Calls below find the deadline in their ``CallContext``. So a timeout is cut to the time left, and no retry waits
    /// past the deadline. If the context already has an earlier deadline, that one stays. When the deadline passes, the
    /// call fails with ``ServiceError/Code/deadlineExceeded``, on the scheduler's thread, and the call below is
    /// cancelled. If no time is left at the start, the service isn't called.
    ///
    /// - Parameters:
    ///   - limit: The time that the call may take. With zero, the service isn't called. Less than zero is a programming
    ///     error and traps.
    ///   - scheduler: The clock.
    public static func deadline(
        _ limit: Duration, on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        precondition(limit >= .zero, "deadline needs a duration of zero or more, not \(limit)")
        let deadline = Deadline(limit: limit, scheduler: scheduler)
        return Middleware(named: "deadline") { service in
            { input in deadline.call(service, input, isUpload: false) }
        }
    }

    /// Limits the time of a whole call, depending on its input.
    ///
    /// If the limit for an input is nil, only the caller's own deadline applies.
    ///
    /// - Parameters:
    ///   - isStreamed: True if the output arrives before its body. Then the limit doesn't apply to the body; the
    ///     caller's own deadline does.
    ///   - isUpload: Returns whether the input has a body that is read while it is sent. If so, the clock of the limit
    ///     stops while the body's bytes are being sent.
    package static func deadline(
        on scheduler: some FutureScheduler, untilStreamedBody isStreamed: Bool = false,
        excludingUploads isUpload: @escaping @Sendable (Input) -> Bool = { _ in false },
        of limit: @escaping @Sendable (Input) -> Duration?
    ) -> Middleware {
        let scheduler: any FutureScheduler = scheduler
        return Middleware(named: "deadline") { service in
            { input in
                Deadline(limit: limit(input), isStreamed: isStreamed, scheduler: scheduler)
                    .call(service, input, isUpload: isUpload(input))
            }
        }
    }
}

/// The time limit for a whole call.
struct Deadline: Sendable {
    static let name = "deadline"

    /// The limit; nil if only the context's deadline applies.
    let limit: Duration?
    /// True if the limit applies only until the output arrives.
    var isStreamed = false
    let scheduler: any FutureScheduler

    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, isUpload: Bool
    ) -> Future<Output> {
        let outer = CallContext.current
        let remaining = outer.remaining
        // This doesn't take the minimum of an array, because each call would have to allocate the array.
        guard let time = limit.map({ min($0, remaining ?? $0) }) ?? remaining else {
            return service(input)
        }
        guard time > .zero else { return refuse(input, in: outer) }
        let end = scheduler.now.advanced(by: time)
        let lift =
            isStreamed && time != remaining ? DeadlineLift(within: outer.deadline) : nil
        let context = context(
            within: outer, at: end, isOuter: time == remaining, isUpload, lift)
        let answer = context.call(service, input)
        let future = lift.map { lift in answer.onSuccess { _ in lift.lift() } } ?? answer
        if future.isSettled { return future }
        return cut(
            future, of: input, at: end, of: time, isOuter: time == remaining, in: context)
    }

    /// Returns the context of a call that ends at an instant.
    ///
    /// - Parameter isOuter: True if the outer deadline isn't later. It then stays in the context, with its own clock.
    private func context(
        within outer: CallContext, at end: SchedulerInstant, isOuter: Bool, _ isUpload: Bool,
        _ lift: DeadlineLift?
    ) -> CallContext {
        let standIns = StandIns.make()
        if isOuter {
            guard let standIns, let deadline = outer.deadline, deadline.standIns == nil else {
                return outer
            }
            return outer.with(deadline: deadline.with(standIns))
        }
        let record = isUpload ? outer.record ?? CallRecord() : nil
        let context = record.map { outer.with(record: $0) } ?? outer
        return context.with(
            deadline: CallDeadline(
                at: end, on: scheduler, extendedBy: record, standIns: standIns, liftedBy: lift))
    }

    private func cut<Input: Sendable, Output>(
        _ future: Future<Output>, of input: Input, at end: SchedulerInstant, of time: Duration,
        isOuter: Bool, in context: CallContext
    ) -> Future<Output> {
        // The time that the service took to return its future counts as well.
        let left = scheduler.now.duration(to: end)
        return future.ending(
            within: left, in: context, by: Self.name,
            expiring: { [scheduler] again in
                let error = Self.error(after: time, for: input, in: context)
                // Only uploads can move a deadline. The timer of the call itself waits for the rest of the time then,
                // but a timer on another clock must be set again.
                guard let deadline = context.deadline else { return .failed(error) }
                if deadline.isExtended, deadline.remaining > .zero {
                    return .renewed(scheduler.schedule(after: deadline.remaining, again))
                }
                // A stored answer passes through the layers between its cache and this one before the next timer.
                guard deadline.standIns?.use(after: error) == true else { return .failed(error) }
                return .renewed(scheduler.schedule(after: .zero, again))
            }
        ) { end in
            if isOuter {
                return context.clock(of: .call, on: scheduler).schedule(after: left, end)
            }
            // If nothing else waits for the deadline yet, this timer comes before those that are set later.
            if !context.hasDeadlineTimer { return scheduler.schedule(after: left, end) }
            return context.atDeadline(.call, end) ?? scheduler.schedule(after: left, end)
        }
    }

    private func refuse<Output>(_ input: some Sendable, in context: CallContext) -> Future<Output> {
        context.report(.timedOut(after: .zero), by: Self.name)
        return Future(error: Self.error(after: .zero, for: input, in: context))
    }

    private static func error(
        after time: Duration, for input: some Sendable, in context: CallContext
    ) -> ServiceError {
        TimeAllowed(duration: time, code: .deadlineExceeded)
            .error(by: name, for: input, in: context)
    }
}

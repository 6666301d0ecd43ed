public import PledgeFutures

extension Middleware {
    /// Repeats a call after a failure that may be temporary.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.deadline(.seconds(10)), .retry(budget: budget), over: transport)
    /// ```
    ///
    /// An attempt is repeated if four things are true: the classifier says that another attempt may succeed, everything
    /// that this attempt has sent may be sent again, the call's deadline leaves time for the wait, and the budget
    /// allows it. Otherwise the result is returned unchanged. The attempt's ``CallRecord``, in its ``CallContext``,
    /// says what may be sent again. If the record is empty, the request in the error
    /// (``OutcomeAdvising/failedRequest``) decides, or else the input (``Replayable``).
    ///
    /// If the service asks for a delay, that delay replaces the backoff's. The wait is then at least the backoff's
    /// first step, and up to a tenth is added, so that not all callers come back at once. If the service asks for more
    /// than ``Retry/maxServerDelay``, the result is returned without a wait.
    ///
    /// Each attempt's context has the attempt's number. The first attempt starts on the caller's thread. The others
    /// start on the scheduler's thread, or, without a delay, on the thread on which the previous attempt ended. All
    /// attempts have the caller's task-local values. Cancelling the future cancels the attempt or the wait. Memory is
    /// constant for any number of attempts.
    ///
    /// - Parameters:
    ///   - retry: The settings.
    ///   - budget: The budget for retries, shared by all calls of the same service. With nil, this retry has its own
    ///     budget with the default settings. With ``RetryBudget/unlimited``, only `attempts` limits the retries. If the
    ///     budget is in a store that several machines share, a retry waits until the store has answered.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock for the waits.
    ///   - random: The source of the jitter.
    public static func retry(
        _ retry: Retry = Retry(), budget: RetryBudget? = nil,
        classifier: Classifier<Output> = .standard, on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        let rules = RetryRules(RetryMachine(retry), classifier, scheduler, random)
        return Middleware(named: retryPolicy) { service in
            let retry = RetriedCall(rules: rules, budget: budget ?? RetryBudget())
            return { input in retry.call(service, input) }
        }
    }
}

/// The settings of a retry, for the middleware `retry`, for a client, and for transfers that go on.
///
/// ```swift
/// client.retry = Retry(attempts: 5)
/// let api = stack(.retry(Retry(attempts: 5)), over: transport)
/// ```
///
/// A value outside the bounds below is a programming error and traps when the settings are used.
public struct Retry: Sendable {
    /// The maximum number of attempts, including the first; at least one.
    public var attempts: Int

    /// The rule for the waits.
    public var backoff: Backoff

    /// The longest wait that the service may ask for; zero or more.
    public var maxServerDelay: Duration

    /// Decides about calls that aren't known to be repeatable.
    public var unproven: UnprovenRetries

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first; at least one.
    ///   - backoff: The rule for the waits.
    ///   - maxServerDelay: The longest wait that the service may ask for; zero or more.
    ///   - unproven: Decides about calls that aren't known to be repeatable.
    public init(
        attempts: Int = 3, backoff: Backoff = .fullJitter(),
        maxServerDelay: Duration = .seconds(10), unproven: UnprovenRetries = .allowed
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.maxServerDelay = maxServerDelay
        self.unproven = unproven
    }
}

/// A setting for calls that aren't known to be repeatable.
///
/// Nothing is known if the attempt's ``CallRecord`` is empty, its error has no request, and the input isn't
/// ``Replayable``.
public enum UnprovenRetries: Sendable {
    /// Calls that aren't known to be repeatable are repeated, and the event says so (``PolicyEvent/isUnproven``).
    case allowed
    /// Calls that aren't known to be repeatable are not repeated.
    case never
}

private let retryPolicy = "retry"

/// What all calls through one retry share.
private final class RetryRules<Output: Sendable>: Sendable {
    let machine: RetryMachine
    let classifier: Classifier<Output>
    let scheduler: any FutureScheduler
    let random: RandomSource

    init(
        _ machine: RetryMachine, _ classifier: Classifier<Output>,
        _ scheduler: any FutureScheduler, _ random: RandomSource
    ) {
        self.machine = machine
        self.classifier = classifier
        self.scheduler = scheduler
        self.random = random
    }
}

/// The state shared by all calls through one retried service.
private struct RetriedCall<Output: Sendable>: Sendable {
    /// An attempt that has started.
    private struct Attempt {
        let future: Future<Output>
        let record: CallRecord
    }

    /// The next attempt.
    private struct Step {
        let delay: Duration
        let isUnproven: Bool
    }

    let rules: RetryRules<Output>
    let budget: RetryBudget

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let first = attempt(1, in: context, service, input)
        if rules.classifier.isPlainSuccess(first.future) {
            budget.deposit()
            return first.future
        }
        return follow(first, rules.machine, context, service, input)
    }

    @inline(__always)
    private func attempt<Input: Sendable>(
        _ number: Int, in context: CallContext, _ service: Service<Input, Output>, _ input: Input
    ) -> Attempt {
        let record = CallRecord(within: context.record)
        let future = context.call(
            // Every call makes a first attempt, so its name is a constant, which saves the interpolation.
            number == 1 ? "attempt 1" : "attempt \(number)", attempt: number, record: record,
            by: retryPolicy, named: budget.name, classifier: rules.classifier, service, input)
        return Attempt(future: future, record: record)
    }

    /// Makes further attempts, until one is pending or none may follow.
    ///
    /// If an attempt has ended at once, the next attempt is made in a loop. If an attempt is pending, the next one is
    /// made in a callback of its future.
    ///
    /// - Parameter caller: The caller's kept context and task-local values; nil on the caller's own thread.
    private func follow<Input: Sendable>(
        _ first: Attempt, _ machine: RetryMachine, _ context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input,
        for caller: CallerContext? = nil
    ) -> Future<Output> {
        var machine = machine
        var current = first
        var input = input
        while true {
            guard let result = current.future.result else {
                let (pending, record) = (machine, current.record)
                let caller = caller ?? CallerContext(keeping: context)
                return current.future.flatMapAtEnd { [input, current] result in
                    // After a cancelled attempt, nothing is decided. Only its record is closed.
                    if result?.isGivenUp ?? true { record.close() }
                    guard let result else { return nil }
                    var machine = pending
                    guard let step = self.decide(&machine, result, record, context, input) else {
                        return nil
                    }
                    if let granting = self.granting(machine, in: context) {
                        return self.wait(
                            for: granting, step, after: current, machine, caller, service, input)
                    }
                    self.announce(step, result, context)
                    return self.wait(step.delay, machine, caller, service, record.next(input))
                }
            }
            guard let step = decide(&machine, result, current.record, context, input) else {
                return current.future
            }
            if let granting = granting(machine, in: context) {
                guard case .success(let isGranted) = granting.result else {
                    return wait(
                        for: granting, step, after: current, machine,
                        caller ?? CallerContext(keeping: context), service, input)
                }
                if !isGranted {
                    withhold(.budget, context)
                    return current.future
                }
            }
            announce(step, result, context)
            input = current.record.next(input)
            if step.delay > .zero {
                return wait(
                    step.delay, machine, caller ?? CallerContext(keeping: context), service, input)
            }
            current = attempt(machine.attempt, in: context, service, input)
        }
    }

    /// Asks the store of a shared budget for the retry; nil if no store has to be asked.
    private func granting(_ machine: RetryMachine, in context: CallContext) -> Future<Bool>? {
        guard let shared = budget.shared, machine.hasPaid else { return nil }
        return shared.withdraw(in: context)
    }

    /// Makes the next attempt after a delay, unless the store of the budget says that there is none.
    private func wait<Input: Sendable>(
        for granting: Future<Bool>, _ step: Step, after last: Attempt, _ machine: RetryMachine,
        _ caller: CallerContext, _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let start = rules.scheduler.now
        return granting.flatMap { isGranted in
            guard isGranted, let result = last.future.result else {
                self.withhold(.budget, caller.context)
                return last.future
            }
            self.announce(step, result, caller.context)
            let waited = start.duration(to: self.rules.scheduler.now)
            return self.wait(
                step.delay - waited, machine, caller, service, last.record.next(input))
        }
    }

    /// Makes the next attempt after a delay.
    private func wait<Input: Sendable>(
        _ delay: Duration, _ machine: RetryMachine, _ caller: CallerContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let goOn: @Sendable () -> Future<Output> = {
            caller.run {
                self.follow(
                    self.attempt(machine.attempt, in: caller.context, service, input),
                    machine, caller.context, service, input, for: caller)
            }
        }
        guard delay > .zero else { return goOn() }
        return Future<Void>(value: ()).delay(delay, on: rules.scheduler)
            .onEnd { if $0.isGivenUp, machine.hasPaid { self.budget.refund() } }
            .flatMap(goOn)
    }

    /// Asks the machine for a decision, and reports it if no attempt follows.
    ///
    /// - Returns: The next attempt, for which a shared budget may still have to be asked; nil if there is none.
    private func decide<Input: Sendable>(
        _ machine: inout RetryMachine, _ result: Result<Output, any Error>,
        _ record: CallRecord, _ context: CallContext, _ input: Input
    ) -> Step? {
        let outcome = rules.classifier(result)
        if let change = machine.budgetChange(after: outcome) {
            // A shared budget asks its store in the call's context.
            if budget.shared == nil { apply(change) } else { context.run { apply(change) } }
        }
        if outcome.isSuccess { return nil }
        let error = result.failure
        let repeatability = Repeatability(of: input, after: record.close(), error)
        let step = machine.end(
            with: outcome, repeatability, remaining: context.remaining,
            bits: rules.random.next(),
            isPaidByAnother: record.isOutOfTime && !record.countFailure(),
            withdraw: budget.shared != nil || budget.withdraw())
        switch step {
        case .finish(let reason):
            if let reason { withhold(reason, context) }
            return nil
        case .retry(let delay):
            return Step(delay: delay, isUnproven: repeatability == .unproven)
        }
    }

    private func apply(_ change: RetryMachine.BudgetChange) {
        switch change {
        case .deposit: budget.deposit()
        case .refund: budget.refund()
        }
    }

    private func withhold(_ reason: RetryRefusal, _ context: CallContext) {
        context.report(.retryWithheld(reason), by: retryPolicy, named: budget.name)
    }

    /// Reports that another attempt follows, and lets a stored answer stand in for it.
    private func announce(
        _ step: Step, _ result: Result<Output, any Error>, _ context: CallContext
    ) {
        context.report(
            .retrying(after: step.delay, error: result.failure), isUnproven: step.isUnproven,
            by: retryPolicy, named: budget.name)
        if let error = result.failure { context.standIns?.use(after: error) }
    }
}

/// The state of one call's retry, and its decision at the end of each attempt.
///
/// An attempt is in flight. At its end, the decision is `finish`, or it is `retry` and another attempt follows.
struct RetryMachine: Sendable {
    /// The decision at the end of an attempt.
    enum Decision: Equatable {
        /// The result is final; if another attempt might have succeeded, the reason says why there is none.
        case finish(RetryRefusal?)
        /// Another attempt follows after a delay.
        case retry(after: Duration)
    }

    /// The effect of an attempt's end on the budget.
    enum BudgetChange {
        /// The call succeeded without a retry.
        case deposit
        /// A retry succeeded or wasn't sent, so its token is returned.
        case refund
    }

    let settings: Retry

    /// The number of the attempt in flight, counted from one.
    private(set) var attempt = 1
    /// True if the attempt in flight has taken a token from the budget.
    private(set) var hasPaid = false
    /// The last delay that the backoff chose.
    private var previous: Duration?

    init(_ settings: Retry) {
        precondition(
            settings.attempts >= 1, "retry needs at least 1 attempt, not \(settings.attempts)")
        precondition(
            settings.maxServerDelay >= .zero,
            "retry needs a maxServerDelay of zero or more, not \(settings.maxServerDelay)")
        self.settings = settings
    }

    /// Returns the effect on the budget when the attempt in flight ends; nil for none.
    ///
    /// An answer from a healthy service counts as a success, even if it says that the request is wrong. A cancelled
    /// attempt doesn't return its token. If it did, calls whose retries are always cancelled by a timeout outside could
    /// retry without limit.
    func budgetChange(after outcome: Outcome) -> BudgetChange? {
        switch outcome.health {
        case .healthy: attempt == 1 ? .deposit : hasPaid ? .refund : nil
        case .unhealthy: nil
        case .unknown: hasPaid && outcome.hasLoadedNoService ? .refund : nil
        }
    }

    /// Ends the attempt in flight.
    ///
    /// The checks stop at the first condition that rules out another attempt. The budget comes last, so that no token
    /// is taken for a retry that isn't made. A retry is free if the network or a policy in this process kept the
    /// attempt from reaching the service.
    ///
    /// - Parameter isPaidByAnother: True if the attempt ran out of time on a connection that had answered before and
    ///   went silent, and the failure of another attempt on it counts. Such attempts show one fault, so one retry pays.
    mutating func end(
        with outcome: Outcome, _ repeatability: Repeatability,
        remaining: @autoclosure () -> Duration?, bits: @autoclosure () -> UInt64,
        isPaidByAnother: @autoclosure () -> Bool = false, withdraw: @autoclosure () -> Bool
    ) -> Decision {
        guard case .after(let asked) = outcome.retry else { return .finish(nil) }
        if attempt >= settings.attempts { return .finish(.attemptsUsed) }
        if repeatability == .refused { return .finish(.notReplayable) }
        if repeatability == .unproven, settings.unproven == .never { return .finish(.unproven) }
        if let asked, asked > settings.maxServerDelay { return .finish(.askedTooLong) }
        let chosen =
            asked.map { delay(askedFor: $0, bits: bits()) }
            ?? settings.backoff.delay(before: attempt - 1, after: previous, bits: bits())
        if let remaining = remaining(), chosen >= remaining { return .finish(.deadline) }
        hasPaid = !outcome.hasLoadedNoService && !isPaidByAnother()
        if hasPaid, !withdraw() { return .finish(.budget) }
        if asked == nil { previous = chosen }
        attempt += 1
        return .retry(after: chosen)
    }

    /// Returns the delay that the service asked for, at least the backoff's first step, plus up to a tenth.
    private func delay(askedFor asked: Duration, bits: UInt64) -> Duration {
        let least = max(asked, settings.backoff.firstStep)
        return least + .uniform(upTo: least / 10, bits: bits)
    }
}

extension Outcome {
    /// True if the call ended before it caused the service any work.
    fileprivate var hasLoadedNoService: Bool {
        isRefusal || health == .unknown && fault == .network
    }
}

public import PledgeFutures

extension Middleware {
    /// Repeats a call after a failure that may be temporary.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.deadline(.seconds(10)), .retry(sharing: budget), over: transport)
    /// ```
    ///
    /// An attempt is repeated if the classifier says that another may succeed, what the attempt has
    /// sent may be sent again, the call's deadline leaves time for the wait, and the budget allows
    /// it. Otherwise its result is returned unchanged. The attempt's ``CallRecord``, which is bound
    /// in its ``CallContext``, decides whether it may be sent again; if the record has no entry, the request
    /// that the error carries decides (``HasRequest``), and then the input (``Replayable``).
    ///
    /// A delay that the service asks for replaces the backoff's: it is at least the backoff's first
    /// step, and up to a tenth is added, so that not all callers call again at once. If the delay is
    /// longer than allowed, there is no wait, and the result is returned.
    ///
    /// The context of each attempt has its number. The first is made on the caller's thread, the others on
    /// the scheduler's thread, or, without a delay, on the thread on which the last one ended, with the caller's
    /// task-local values. Cancelling the
    /// future cancels the attempt or the wait. Constant memory, whatever the number of attempts.
    ///
    /// - Parameters:
    ///   - attempts: The largest number of attempts, the first included. Less than one is a programming error
    ///     and traps.
    ///   - backoff: How long to wait.
    ///   - budget: The budget of retries, shared by all calls of the same service; nil: this retry has a
    ///     budget of its own, with the defaults. With ``RetryBudget/unlimited`` only `attempts` limits them.
    ///   - maxServerDelay: The longest wait that the service may ask for. Less than zero is a
    ///     programming error and traps.
    ///   - unproven: Whether calls are repeated that are not known to be repeatable.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock of the waits.
    ///   - random: The source of the jitter.
    public static func retry(
        attempts: Int = 3,
        backoff: Backoff = .fullJitter(),
        sharing budget: RetryBudget? = nil,
        maxServerDelay: Duration = .seconds(10),
        unproven: UnprovenRetries = .allowed,
        classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        let rules = RetryRules(
            attempts, backoff, maxServerDelay, unproven, classifier, scheduler, random)
        return Middleware(named: retryPolicy) { service in
            let retry = RetriedCall(rules: rules, budget: budget ?? RetryBudget())
            return { input in retry.call(service, input) }
        }
    }
}

private let retryPolicy = "retry"

/// What all calls through one retry share, except the budget.
private final class RetryRules<Output: Sendable>: Sendable {
    let machine: RetryMachine
    let classifier: Classifier<Output>
    let scheduler: any Scheduler
    let random: RandomSource

    init(
        _ attempts: Int, _ backoff: Backoff, _ maxServerDelay: Duration,
        _ unproven: UnprovenRetries, _ classifier: Classifier<Output>,
        _ scheduler: any Scheduler, _ random: RandomSource
    ) {
        precondition(attempts >= 1, "retry needs at least 1 attempt, not \(attempts)")
        precondition(
            maxServerDelay >= .zero,
            "retry needs a maxServerDelay of zero or more, not \(maxServerDelay)")
        machine = RetryMachine(
            attempts: attempts, backoff: backoff, maxServerDelay: maxServerDelay,
            unproven: unproven)
        self.classifier = classifier
        self.scheduler = scheduler
        self.random = random
    }
}

/// A call by the rules of a retry, with a budget.
private struct RetriedCall<Output: Sendable>: Sendable {
    /// An attempt that has begun.
    private struct Attempt {
        let future: Future<Output>
        let record: CallRecord
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

    private func attempt<Input: Sendable>(
        _ number: Int, in context: CallContext, _ service: Service<Input, Output>, _ input: Input
    ) -> Attempt {
        let record = CallRecord(within: context.record)
        let future = context.call(
            // The first is made for every call; a constant avoids the interpolation.
            number == 1 ? "attempt 1" : "attempt \(number)", attempt: number, record: record,
            by: retryPolicy, named: budget.name, classifier: rules.classifier, service, input)
        return Attempt(future: future, record: record)
    }

    /// Makes attempts after the passed one, until one is pending, or none may follow.
    ///
    /// An attempt that ends at once is repeated in a loop; a pending one, in its callback.
    ///
    /// - Parameter caller: Whom the attempts are for; nil on the caller's own thread.
    private func follow<Input: Sendable>(
        _ first: Attempt, _ machine: RetryMachine, _ context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input, for caller: KeptCaller? = nil
    ) -> Future<Output> {
        var machine = machine
        var current = first
        var input = input
        while true {
            guard let result = current.future.result else {
                let (pending, record) = (machine, current.record)
                let caller = caller ?? KeptCaller(context)
                // A cancelled attempt ends without a decision.
                let watched = current.future.onEnd { if $0.isGivenUp { record.close() } }
                return watched.flatMapSomeResults { [input] result in
                    var machine = pending
                    return self.decide(&machine, result, record, context, input).map { delay in
                        self.wait(delay, machine, caller, service, record.next(input))
                    }
                }
            }
            guard let delay = decide(&machine, result, current.record, context, input) else {
                return current.future
            }
            input = current.record.next(input)
            if delay > .zero {
                return wait(delay, machine, caller ?? KeptCaller(context), service, input)
            }
            current = attempt(machine.attempt, in: context, service, input)
        }
    }

    /// Continues after a delay.
    private func wait<Input: Sendable>(
        _ delay: Duration, _ machine: RetryMachine, _ caller: KeptCaller,
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

    /// Gets the decision of the machine, and reports it.
    ///
    /// - Returns: How long to wait before the next attempt; nil if there is none.
    private func decide<Input: Sendable>(
        _ machine: inout RetryMachine, _ result: Result<Output, any Error>,
        _ record: CallRecord, _ context: CallContext, _ input: Input
    ) -> Duration? {
        let outcome = rules.classifier(result)
        switch machine.budgetChange(after: outcome) {
        case .deposit: budget.deposit()
        case .refund: budget.refund()
        case nil: break
        }
        if outcome.isSuccess { return nil }
        let error = result.failure
        let repeatability = Repeatability(of: input, after: record.close(), error)
        let step = machine.end(
            with: outcome, repeatability, remaining: context.remaining,
            bits: rules.random.next(), withdraw: budget.withdraw())
        switch step {
        case .finish(let reason):
            if let reason {
                context.report(.retryWithheld(reason), by: retryPolicy, named: budget.name)
            }
            return nil
        case .retry(let delay):
            result.replaced(of: input)
            context.report(
                .retrying(after: delay, error: error), isUnproven: repeatability == .unproven,
                by: retryPolicy, named: budget.name)
            return delay
        }
    }
}

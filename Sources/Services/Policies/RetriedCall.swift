import PledgeFutures

let retryPolicy = "retry"

/// What all calls through one retry share.
final class RetryRules<Output: Sendable>: Sendable {
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
struct RetriedCall<Output: Sendable>: Sendable {
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
    /// A success may be worth a repetition too: the classifier judges a response with the status 503 so.
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
        let step = machine.endAttempt(
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
        context.report(.retryWithheld(reason: reason.rawValue), by: retryPolicy, named: budget.name)
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

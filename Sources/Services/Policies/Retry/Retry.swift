public import Futures

extension Middleware {
    /// Repeats a call that failed in a way that may pass.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.deadline(.seconds(10)), .retry(sharing: budget), over: transport)
    /// ```
    ///
    /// An attempt is repeated if the classifier says that another may succeed, what the attempt has sent may be
    /// sent again, the call's deadline leaves time for the wait, and the budget allows it. Otherwise its
    /// result is given back unchanged. What may be sent again is decided by the attempt's ``CallRecord``, which
    /// is bound in its ``CallContext``; where nothing was noted in it, by the request that the error carries
    /// (``RequestCarrying``), and then by the input (``Replayable``).
    ///
    /// A delay that the service asks for replaces the backoff's: it is at least the backoff's first step, and up
    /// to a tenth is added, so that not all callers come back at once. A longer one than allowed is not
    /// waited for, and the result is given back.
    ///
    /// The context of each attempt has its number. The first is made on the caller's thread, the
    /// others on the scheduler's, or after no delay where the last one ended. Cancelling the future
    /// cancels the attempt or the wait. Constant memory, whatever the number of attempts.
    ///
    /// - Parameters:
    ///   - attempts: How many there may be, the first included. Less than one is a programming error
    ///     and traps.
    ///   - backoff: How long to wait.
    ///   - budget: What retries are drawn from, shared by all calls that load the same service; nil for one of
    ///     this retry's own. ``RetryBudget/unlimited`` leaves only `attempts` to bound them.
    ///   - maxServerDelay: The longest wait that the service may ask for. Less than zero is a
    ///     programming error and traps.
    ///   - unproven: What becomes of calls of which nothing says whether they may be made twice.
    ///   - classifier: Decides what an end means.
    ///   - scheduler: Where the waits pass.
    ///   - random: Where the jitter comes from.
    public static func retry(
        attempts: Int = 3,
        backoff: Backoff = .fullJitter(),
        sharing budget: RetryBudget? = nil,
        maxServerDelay: Duration = .seconds(60),
        unproven: UnprovenRetries = .allowed,
        classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        precondition(attempts >= 1, "retry needs at least 1 attempt, not \(attempts)")
        precondition(
            maxServerDelay >= .zero,
            "retry needs a maxServerDelay of zero or more, not \(maxServerDelay)")
        let machine = RetryMachine(
            attempts: attempts, backoff: backoff, maxServerDelay: maxServerDelay,
            unproven: unproven)
        return Middleware(named: "retry") { service in
            let retry = RetriedCall<Output>(
                machine, budget: budget ?? RetryBudget(on: scheduler), classifier: classifier,
                on: scheduler, random: random)
            return { input in retry.call(service, input) }
        }
    }
}

private let retryPolicy = "retry"

/// What all calls through one retry have in common.
final class RetriedCall<Output: Sendable>: Sendable {
    /// An attempt that has begun.
    private struct Attempt {
        let future: Future<Output>
        let record: CallRecord
    }

    private let machine: RetryMachine
    private let budget: RetryBudget
    private let classifier: Classifier<Output>
    private let scheduler: any Scheduler
    private let random: RandomSource

    init(
        _ machine: RetryMachine, budget: RetryBudget, classifier: Classifier<Output>,
        on scheduler: any Scheduler, random: RandomSource
    ) {
        self.machine = machine
        self.budget = budget
        self.classifier = classifier
        self.scheduler = scheduler
        self.random = random
    }

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        budget.deposit()
        let context = CallContext.current
        let first = attempt(1, in: context, service, input)
        if classifier.isPlainSuccess(first.future) { return first.future }
        return follow(first, machine, context, service, input)
    }

    private func attempt<Input: Sendable>(
        _ number: Int, in context: CallContext, _ service: Service<Input, Output>, _ input: Input
    ) -> Attempt {
        let record = CallRecord(within: context.record)
        let future = context.call(
            // The first is made forevery call; it need not be interpolated each time.
            number == 1 ? "attempt 1" : "attempt \(number)", attempt: number, record: record,
            by: retryPolicy, named: budget.name, classifier: classifier, service, input)
        return Attempt(future: future, record: record)
    }

    /// Makes attempts after the one that is given, until one is pending, or none is to follow.
    ///
    /// What ends at once is repeated in a loop; what is pending, from its callback.
    private func follow<Input: Sendable>(
        _ first: Attempt, _ machine: RetryMachine, _ context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        var machine = machine
        var current = first
        while true {
            guard let result = current.future.result else {
                let (pending, record) = (machine, current.record)
                // An attempt that is given up ends without a decision.
                let watched = current.future.onEnd { if $0.isGivenUp { record.close() } }
                return watched.continued { result in
                    var machine = pending
                    return self.decide(&machine, result, record, context, input).map { delay in
                        self.wait(delay, machine, context, service, input)
                    }
                }
            }
            guard let delay = decide(&machine, result, current.record, context, input) else {
                return current.future
            }
            if delay > .zero { return wait(delay, machine, context, service, input) }
            current = attempt(machine.attempt, in: context, service, input)
        }
    }

    /// Goes on after a delay.
    private func wait<Input: Sendable>(
        _ delay: Duration, _ machine: RetryMachine, _ context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let goOn: @Sendable () -> Future<Output> = {
            self.follow(
                self.attempt(machine.attempt, in: context, service, input),
                machine, context, service, input)
        }
        guard delay > .zero else { return goOn() }
        return Future<Void>(value: ()).delay(delay, on: scheduler).flatMap(goOn)
    }

    /// Asks the machine, and tells what it says.
    ///
    /// - Returns: How long to wait before the next attempt; nil if there is none.
    private func decide<Input: Sendable>(
        _ machine: inout RetryMachine, _ result: Result<Output, any Error>,
        _ record: CallRecord, _ context: CallContext, _ input: Input
    ) -> Duration? {
        let assessment = classifier.assess(result)
        if assessment.isSuccess { return nil }
        let error = result.failure
        let repeatability = Repeatability(of: input, after: record.close(), error)
        let step = machine.end(
            with: assessment.retry, repeatability, remaining: context.remaining,
            bits: random.next(), withdraw: budget.withdraw())
        switch step {
        case .finish(let reason):
            if let reason {
                context.report(.retryWithheld(reason), by: retryPolicy, named: budget.name)
            }
            return nil
        case .retry(let delay):
            context.report(
                .retrying(after: delay, error: error), isUnproven: repeatability == .unproven,
                by: retryPolicy, named: budget.name)
            return delay
        }
    }
}

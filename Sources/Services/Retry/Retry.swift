public import Futures

extension Middleware {
    /// Repeats a call that failed in a way that may pass.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.deadline(.seconds(10)), .retry(budget: budget), over: transport)
    /// ```
    ///
    /// An attempt is repeated if the classifier calls its outcome retryable, the input is
    /// ``Replayable`` or the call certainly did not arrive, the call's deadline leaves time for the
    /// wait, and the budget allows it. Otherwise its result is given back unchanged. A delay that the
    /// service asked for replaces the backoff's, without jitter; a longer one than allowed is not
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
    ///   - budget: What retries are drawn from, shared by all calls that load the same service. Without
    ///     one, only `attempts` bounds them.
    ///   - maxServerDelay: The longest wait that the service may ask for. Less than zero is a
    ///     programming error and traps.
    ///   - classifier: Decides what an end means.
    ///   - scheduler: Where the waits pass.
    ///   - random: Where the jitter comes from.
    public static func retry(
        attempts: Int = 3,
        backoff: Backoff = .fullJitter(),
        budget: RetryBudget? = nil,
        maxServerDelay: Duration = .seconds(60),
        classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        precondition(attempts >= 1, "retry needs at least 1 attempt, not \(attempts)")
        precondition(
            maxServerDelay >= .zero,
            "retry needs a maxServerDelay of zero or more, not \(maxServerDelay)")
        let retry = Retry<Output>(
            machine: RetryMachine(
                attempts: attempts, backoff: backoff, maxServerDelay: maxServerDelay),
            budget: budget, classifier: classifier, scheduler: scheduler, random: random)
        return Middleware { service in { input in retry.call(service, input) } }
    }
}

/// What all calls through one retry have in common.
struct Retry<Output: Sendable>: Sendable {
    static var name: String { "retry" }

    let machine: RetryMachine
    let budget: RetryBudget?
    let classifier: Classifier<Output>
    let scheduler: any Scheduler
    let random: RandomSource

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        budget?.deposit()
        return go(on: machine, in: .current, service, input)
    }

    /// Makes attempts until one is pending, or none is to follow.
    ///
    /// What ends at once is repeated in a loop; what is pending, from its callback.
    private func go<Input: Sendable>(
        on machine: RetryMachine, in context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        var machine = machine
        while true {
            let number = machine.attempt
            let future = context.call(
                "attempt \(number)", attempt: number, by: Self.name, classifier: classifier,
                service, input)
            guard let result = future.result else {
                let machine = machine
                return future.continued { result in
                    var machine = machine
                    return decide(&machine, result, context, input).map { delay in
                        wait(delay, machine, context, service, input)
                    }
                }
            }
            guard let delay = decide(&machine, result, context, input) else { return future }
            if delay > .zero { return wait(delay, machine, context, service, input) }
        }
    }

    /// Goes on after a delay.
    private func wait<Input: Sendable>(
        _ delay: Duration, _ machine: RetryMachine, _ context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard delay > .zero else { return go(on: machine, in: context, service, input) }
        return Future<Void>(value: ()).delay(delay, on: scheduler)
            .flatMap { go(on: machine, in: context, service, input) }
    }

    /// Asks the machine, and tells what it says.
    ///
    /// - Returns: How long to wait before the next attempt; nil if there is none.
    private func decide<Input: Sendable>(
        _ machine: inout RetryMachine, _ result: Result<Output, any Error>,
        _ context: CallContext, _ input: Input
    ) -> Duration? {
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        let step = machine.end(
            with: classifier(result),
            mayRepeat: mayRepeat(input)
                || (error as? any OutcomeAdvising)?.isCertainlyUnsent == true,
            remaining: context.remaining,
            bits: random.next(),
            withdraw: budget?.withdraw() ?? true)
        switch step {
        case .finish(let reason):
            if let reason { context.report(.retryWithheld(reason), by: Self.name) }
            return nil
        case .retry(let delay):
            context.report(.retrying(after: delay, error: error), by: Self.name)
            return delay
        }
    }
}

public import PledgeFutures

extension Middleware {
    /// Makes a second call beside one that is slower than most, and takes the first success.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.retry(sharing: budget), .hedge(sharing: budget), over: transport)
    /// ```
    ///
    /// It is ``hedge(after:attempts:maxExtraLoad:sharing:classifier:on:)``, whose delay is the latency
    /// that a call exceeds with a probability of `maxExtraLoad`, as observed by a ``Hedging``. Until
    /// enough latencies are known, only failures are hedged.
    ///
    /// - Parameters:
    ///   - attempts: The largest number of calls for one, the first included. Less than one is a
    ///     programming error and traps.
    ///   - maxExtraLoad: The share of further calls that the service may get: 0…1, otherwise it is a
    ///     programming error and traps.
    ///   - budget: A further budget of hedges, that of the retries of this service.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock.
    public static func hedge(
        attempts: Int = 2, maxExtraLoad: Double = 0.01, sharing budget: RetryBudget? = nil,
        classifier: Classifier<Output> = .standard, on scheduler: some Scheduler = .live
    ) -> Middleware {
        hedge(attempts, classifier) {
            Hedging(maxExtraLoad: maxExtraLoad, sharing: budget, on: scheduler)
        }
    }

    /// Makes a second call beside one that takes longer than a delay, and takes the first success.
    ///
    /// A retryable failure does not wait for the delay: the next call is made at once, on the
    /// thread that settled the one that failed. The first success is the result, and all other
    /// calls are cancelled; the same holds for the first failure that is not retryable. An ignorable end is
    /// the result only if no other call is under way. If all fail, the last failure is returned. If
    /// the service asked for a delay, the next call waits for it, and is not made if no call is under way: a
    /// retry outside waits instead.
    ///
    /// A call is hedged if what it has sent so far may be sent again, by its ``CallRecord``; or, if nothing
    /// was noted in it, if the input is ``Replayable``. From then on at most one of the calls sends requests
    /// that may not be processed twice: in the others, such a request rejects with ``AttemptSuperseded``. Each
    /// further call is withdrawn from two budgets: its own, which allows a share of `maxExtraLoad`, and one call more;
    /// and the passed one, which the retries fill. No call is begun after the call's deadline has passed. A refused
    /// call is not made later.
    ///
    /// Every call is made in the caller's context, the first on the caller's thread. The future settles
    /// after the losers have been cancelled, on the thread that settled the winner; cancelling it
    /// cancels all calls. ("The Tail at Scale", Dean and Barroso 2013; Finagle's BackupRequestFilter;
    /// gRPC's proposal A6.)
    ///
    /// - Parameters:
    ///   - delay: How long the last call is under way before the next. Less than zero is a programming
    ///     error and traps.
    ///   - attempts: The largest number of calls for one, the first included. Less than one is a
    ///     programming error and traps.
    ///   - maxExtraLoad: The share of further calls that the service may get: 0…1, otherwise it is a
    ///     programming error and traps. With 0, it gets none.
    ///   - budget: A further budget of hedges, that of the retries of this service.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock.
    public static func hedge(
        after delay: Duration, attempts: Int = 2, maxExtraLoad: Double = 0.01,
        sharing budget: RetryBudget? = nil, classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live
    ) -> Middleware {
        hedge(attempts, classifier) {
            Hedging(after: delay, maxExtraLoad: maxExtraLoad, sharing: budget, on: scheduler)
        }
    }

    /// Makes a second call beside one that is slow, with a state that several stacks share.
    ///
    /// Otherwise as ``hedge(after:attempts:maxExtraLoad:sharing:classifier:on:)``.
    ///
    /// - Parameters:
    ///   - hedging: The shared delay and budget.
    ///   - attempts: The largest number of calls for one, the first included. Less than one is a
    ///     programming error and traps.
    ///   - classifier: Assesses the end of a call.
    public static func hedge(
        sharing hedging: Hedging, attempts: Int = 2, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        hedge(attempts, classifier) { hedging }
    }

    private static func hedge(
        _ attempts: Int, _ classifier: Classifier<Output>,
        _ hedging: @escaping @Sendable () -> Hedging
    ) -> Middleware {
        precondition(attempts >= 1, "hedge needs at least 1 attempt, not \(attempts)")
        // Checks the arguments when the stack is built.
        _ = hedging()
        return Middleware(named: "hedge") { service in
            let hedge = Hedge(attempts: attempts, classifier: classifier, hedging: hedging())
            return { input in hedge.call(service, input) }
        }
    }
}

let hedgePolicy = "hedge"

/// The state that all calls through one hedge share.
final class Hedge<Output: Sendable>: Sendable {
    let attempts: Int
    let classifier: Classifier<Output>
    let hedging: Hedging

    init(attempts: Int, classifier: Classifier<Output>, hedging: Hedging) {
        self.attempts = attempts
        self.classifier = classifier
        self.hedging = hedging
    }

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let start = hedging.deposit()
        let record = CallRecord(within: context.record)
        let first = context.call(
            "call 1", attempt: context.attempt, record: record, by: hedgePolicy,
            named: hedging.name, classifier: classifier, service, input)
        if classifier.isPlainSuccess(first) {
            hedging.record(since: start)
            return first
        }
        return follow(first, record, in: context, service, input, start: start)
    }

    /// Continues from the first call; if it has ended, except with a retryable failure, its result is final.
    private func follow<Input: Sendable>(
        _ first: Future<Output>, _ record: CallRecord, in context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input, start: SchedulerInstant
    ) -> Future<Output> {
        if let result = first.result {
            let outcome = classifier(result)
            if attempts == 1 || !outcome.retry.isAtOnce {
                hedging.record(result, outcome, since: start)
                return first
            }
        }
        return HedgedCall(self, record, in: context, service, input, start: start)
            .start(with: first)
    }
}

extension Outcome.Retry {
    /// Whether another call may follow without a wait.
    fileprivate var isAtOnce: Bool {
        if case .after(let delay) = self { delay ?? .zero <= .zero } else { false }
    }
}

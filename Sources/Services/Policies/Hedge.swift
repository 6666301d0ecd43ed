public import PledgeFutures

extension Middleware {
    /// Makes a second call beside one that is slower than most others, and takes the first success.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.retry(sharing: budget), .hedge(sharing: budget), over: transport)
    /// ```
    ///
    /// This is ``hedge(after:attempts:maxExtraLoad:sharing:classifier:on:)`` with a measured delay. A ``Hedging``
    /// measures the latency that only the slowest calls exceed; their share of all calls is `maxExtraLoad`. Until
    /// enough latencies are known, only failures are hedged.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of calls, including the first. Less than one is a programming error and traps.
    ///   - maxExtraLoad: The share of extra calls that the service may get; 0…1. A value out of range is a programming
    ///     error and traps.
    ///   - budget: A second budget for the hedges, which they share with the service's retries.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock.
    public static func hedge(
        attempts: Int = 2, maxExtraLoad: Double = 0.01, sharing budget: RetryBudget? = nil,
        classifier: Classifier<Output> = .standard, on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        hedge(attempts, classifier) {
            Hedging(maxExtraLoad: maxExtraLoad, sharing: budget, on: scheduler)
        }
    }

    /// Makes a second call beside one that takes longer than a delay, and takes the first success.
    ///
    /// A retryable failure starts the next call at once, on the thread that settled the failed one. The first success
    /// is the result, and all other calls are cancelled. The first failure that isn't retryable also ends all calls. An
    /// ignorable end counts only if no other call is in flight. If all calls fail, the last failure is the result. If
    /// the service asks for a delay while other calls are in flight, the next call waits for that delay. If no other
    /// call is in flight, no next call is made, because the waiting is left to a retry outside.
    ///
    /// A call is hedged if its ``CallRecord`` says that everything sent so far may be sent again. If the record is
    /// empty, the request in the failure (``HasRequest``) decides, or else the input (``Replayable``). From then on,
    /// only one of the calls may send requests that must not be processed twice. In the other calls, such a request
    /// fails with ``AttemptSuperseded``, which is the result only if no call has failed otherwise. Each further call
    /// draws from two budgets. The hedge's own budget limits further calls to a share of `maxExtraLoad` of all calls,
    /// plus one call. The other budget is `budget`, which the retries fill. No call starts after the call's deadline. A
    /// further call that isn't allowed isn't made later either.
    ///
    /// Every call is made in the caller's context, the first one on the caller's thread. The future settles after the
    /// losers have been cancelled, on the thread that settled the winner. Cancelling the future cancels all calls. A
    /// call that waits in a bulkhead, a load shedder or an adaptive limit below is not made once another call has
    /// succeeded: when its turn comes, and other calls are in flight, it starts on the scheduler of that policy.
    /// ("The Tail at Scale", Dean and Barroso 2013; Finagle's BackupRequestFilter; gRPC's proposal A6.)
    ///
    /// - Parameters:
    ///   - delay: The time that the latest call is in flight before the next one starts. Less than zero is a
    ///     programming error and traps.
    ///   - attempts: The maximum number of calls, including the first. Less than one is a programming error and traps.
    ///   - maxExtraLoad: The share of extra calls that the service may get; 0…1. With 0, it gets none. A value out of
    ///     range is a programming error and traps.
    ///   - budget: A second budget for the hedges, which they share with the service's retries.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock.
    public static func hedge(
        after delay: Duration, attempts: Int = 2, maxExtraLoad: Double = 0.01,
        sharing budget: RetryBudget? = nil, classifier: Classifier<Output> = .standard,
        on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        hedge(attempts, classifier) {
            Hedging(after: delay, maxExtraLoad: maxExtraLoad, sharing: budget, on: scheduler)
        }
    }

    /// Makes a second call beside a slow one, with a state that several stacks share.
    ///
    /// Everything else is as in ``hedge(after:attempts:maxExtraLoad:sharing:classifier:on:)``.
    ///
    /// - Parameters:
    ///   - hedging: The shared delay and budget.
    ///   - attempts: The maximum number of calls, including the first. Less than one is a programming error and traps.
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
        // This checks the arguments when the stack is built.
        _ = hedging()
        return Middleware(named: "hedge") { service in
            let hedge = Hedge(attempts: attempts, classifier: classifier, hedging: hedging())
            return { input in hedge.call(service, input) }
        }
    }
}

let hedgePolicy = "hedge"

/// The state shared by all calls through one hedge.
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

    /// Waits for the first call, and makes further calls if they are needed.
    ///
    /// If the first call has already ended, and no other call may follow at once, its result is final.
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
    /// True if another call may follow without a wait.
    fileprivate var isAtOnce: Bool {
        if case .after(let delay) = self { delay ?? .zero <= .zero } else { false }
    }
}

/// A call that may be made several times.
final class HedgedCall<Input: Sendable, Output: Sendable>: Sendable {
    private struct State {
        var machine: HedgeMachine
        /// The calls in flight that have returned a future, by their numbers.
        var calls: [Int: Future<Output>] = [:]
        /// The highest priority of a task that awaits the answer.
        var raised: TaskPriority?
        /// The record of what each call has sent.
        var records: [Int: CallRecord]
        /// The contexts and task-local values for further calls.
        ///
        /// Only one thread at a time may use each of them. So there are several, because several threads may make
        /// further calls at the same time.
        var callers: [KeptCaller]
        /// The instant at which each call started.
        var starts: [Int: SchedulerInstant]
        var timer: (any ScheduledAction)?
        /// The last failure of a call that was made; it is the result if no call follows.
        var failure: Result<Output, any Error>?
        /// The number of further calls that a policy below has refused.
        var refused = 0
    }

    private let policy: Hedge<Output>
    private let service: Service<Input, Output>
    private let context: CallContext
    private let input: Input
    private let soleSender = SoleSender()
    private let promise = InternalPromise<Output>()
    private let state: Locked<State>

    init(
        _ policy: Hedge<Output>, _ record: CallRecord, in context: CallContext,
        _ service: @escaping Service<Input, Output>, _ input: Input, start: SchedulerInstant
    ) {
        self.policy = policy
        self.service = service
        self.context = context
        self.input = input
        state = Locked(
            State(
                machine: HedgeMachine(attempts: policy.attempts), records: [1: record],
                callers: (1..<min(policy.attempts, 3)).map { _ in KeptCaller(context) },
                starts: [1: start]))
        policy.hedging.begin()
    }

    /// Begins to wait, for the end of the first call and for the delay before the second.
    func start(with first: Future<Output>) -> Future<Output> {
        watch(1, first)
        arm()
        promise.onCancel {
            self.cancel()
        } raising: { priority in
            self.raise(to: priority)
        }
        return promise
    }

    /// Waits for the end of a call.
    private func watch(_ number: Int, _ future: Future<Output>) {
        // The wait is a future of its own. Cancelling it doesn't settle the service's future, which others may hold
        // too.
        let branch = future.onEnd { result in self.end(number, result) }
        let (isWanted, raised) = state.withLock { state in
            guard state.machine.isUnderWay(number) else { return (false, nil as TaskPriority?) }
            state.calls[number] = branch
            return (true, state.raised)
        }
        if !isWanted { branch.cancel() }
        if let raised { branch.raise(to: raised) }
    }

    /// Stores that a task awaits the answer.
    ///
    /// - Returns: The calls in flight, to be raised to the task's priority.
    private func raise(to priority: TaskPriority) -> [FutureNode] {
        state.withLock { state in
            state.raised = max(state.raised ?? priority, priority)
            return Array(state.calls.values)
        }
    }

    private func end(_ number: Int, _ result: Result<Output, any Error>) {
        let outcome = policy.classifier(result)
        // If a policy below refused this call, the service never got it. So the refusal doesn't end the other calls,
        // and doesn't replace the failure of another call.
        let isRefused = outcome.isRefusal
        // The same is true of a call that couldn't send because another call may.
        let isUnmade = isRefused || result.failure is AttemptSuperseded
        let (step, start, record, final) = state.withLockThenReleaseRest { state in
            let wasUnderWay = state.machine.isUnderWay(number)
            let step = state.machine.end(number, with: isRefused ? .ignorable : outcome)
            let previous = state.failure
            let counts = wasUnderWay && !(isUnmade && previous != nil)
            if counts { state.failure = result }
            if isRefused, wasUnderWay, number > 1 { state.refused += 1 }
            let start = wasUnderWay ? state.starts[number] : nil
            return (
                (step, start, state.records[number], counts ? result : previous ?? result),
                state.calls.removeValue(forKey: number)
            )
        }
        if isRefused, start != nil, number > 1 { policy.hedging.putBack() }
        if !outcome.isAnswer { record?.close() }
        if let start { policy.hedging.record(result, outcome, since: start) }
        switch step {
        case .wait: break
        case .ask: ask()
        case .arm(let timer, let delay): arm(timer, after: delay)
        case .finish(let losers):
            finish(with: final, winner: outcome.isAnswer ? number : nil, losers)
        }
    }
}

// MARK: - Further calls

extension HedgedCall {
    /// Sets the timer for the next call.
    private func arm() {
        guard let delay = policy.hedging.delay else { return }
        if !context.hasTime(for: delay) { return }
        if let timer = state.withLock({ $0.machine.arm() }) { arm(timer, after: delay) }
    }

    private func arm(_ timer: HedgeMachine.Timer, after delay: Duration) {
        let action = policy.hedging.scheduler.schedule(after: delay) {
            if self.state.withLock({ $0.machine.fire(timer) }) == .ask { self.ask() }
        }
        let void = state.withLock { state -> (any ScheduledAction)? in
            guard state.machine.isValid(timer) else { return action }
            defer { state.timer = action }
            return state.timer
        }
        void?.cancel()
    }

    /// Makes another call, if the records, the budgets and the deadline allow it.
    private func ask() {
        let isInTime = context.hasTime(for: .zero)
        guard isInTime, isRepeatable, policy.hedging.withdraw() else {
            return refuse()
        }
        let now = policy.hedging.scheduler.now
        let record = CallRecord(within: context.record)
        _ = record.allowRivals(soleSender)
        let granted = state.withLock { state -> (Int, Duration, (any ScheduledAction)?)? in
            guard let number = state.machine.grant() else { return nil }
            let timer = state.timer
            state.timer = nil
            state.starts[number] = now
            state.records[number] = record
            let last = state.starts[number - 1] ?? now
            return (number, last.duration(to: now), timer)
        }
        guard let (number, elapsed, timer) = granted else { return }
        timer?.cancel()
        report(.hedged(after: elapsed))
        let input = state.withLock { $0.records }.values.reduce(input) { $1.next($0) }
        let caller = state.withLock { $0.callers.popLast() } ?? KeptCaller(context)
        let future = caller.run {
            context.call(
                "hedge \(number)", attempt: context.attempt, record: record, by: hedgePolicy,
                named: policy.hedging.name, classifier: policy.classifier, service, input)
        }
        state.withLock { $0.callers.append(caller) }
        watch(number, future)
        arm()
    }

    /// True if everything that the calls have sent so far may be sent again.
    ///
    /// Reading this has an effect: from then on, only one of the calls may send requests that must not be sent twice.
    private var isRepeatable: Bool {
        // A failure says something about its own call only, and nothing about calls that are still in flight.
        let (records, failure) = state.withLock {
            ($0.records.values, $0.machine.isAnyUnderWay ? nil : $0.failure)
        }
        let verdict = records.reduce(.nothing) { max($0, $1.allowRivals(soleSender)) }
        return Repeatability(of: input, after: verdict, failure?.failure) == .proven
    }

    private func refuse() {
        let result = state.withLock { $0.machine.refuse() ? $0.failure : nil }
        if let result { finish(with: result, winner: nil, []) }
    }
}

// MARK: - The end

extension HedgedCall {
    private func report(_ kind: @autoclosure () -> PolicyEvent.Kind) {
        context.report(kind(), by: hedgePolicy, named: policy.hedging.name)
    }

    /// Settles the future, after cancelling all other calls.
    private func finish(
        with result: Result<Output, any Error>, winner: Int?, _ losers: [Int]
    ) {
        let (taken, begun) = takeAll()
        policy.hedging.end()
        for (number, record) in taken.records where number != winner { record.close() }
        if let winner, begun > 1 {
            report(.hedgeWon(number: winner))
            policy.hedging.refund(begun - 1 - taken.refused)
        }
        for loser in losers {
            report(.hedgeLost(number: loser))
            // The loser would have taken at least this long, so its time so far is recorded as a latency.
            if winner != nil, let start = taken.starts[loser] {
                policy.hedging.record(since: start)
            }
            taken.calls[loser]?.cancel()
        }
        promise.settle(with: result)
    }

    private func cancel() {
        if state.withLock({ $0.machine.cancel() }) { policy.hedging.end() }
        let taken = takeAll().state
        for record in taken.records.values { record.close() }
        for (_, call) in taken.calls.sorted(by: { $0.key < $1.key }) { call.cancel() }
    }

    /// Takes all stored objects out, and cancels the timer.
    private func takeAll() -> (state: State, begun: Int) {
        let state = state.withLock { state -> State in
            let taken = state
            state.calls = [:]
            state.timer = nil
            state.failure = nil
            return taken
        }
        state.timer?.cancel()
        return (state, state.machine.begun)
    }
}

/// The state of a hedged call, and the decision at the end of each of its calls.
///
/// Calls are numbered from one. At the start, the first call is in flight; further calls may follow. The hedged call is
/// over after a success, a fatal failure or the caller's cancellation, or when no call is in flight and none may
/// follow. Each further call must be asked for first, because it draws from a budget outside this machine.
struct HedgeMachine: Sendable {
    /// The next step.
    enum Decision: Equatable {
        /// Nothing is to be done: other calls are in flight or asked for, or everything is over.
        case wait
        /// The budgets must be asked for a further call.
        ///
        /// Report whether they allow it with ``HedgeMachine/grant()`` or ``HedgeMachine/refuse()``.
        case ask
        /// The timer must be set, because the service asks for a delay before another call.
        case arm(Timer, after: Duration)
        /// The result of the call that has just ended is final, and the losers are cancelled.
        case finish(losers: [Int])
    }

    /// A timer; invalid once another timer is set or another call is asked for.
    struct Timer: Equatable, Sendable {
        fileprivate let number: Int
    }

    /// The maximum number of calls, including the first.
    let attempts: Int

    /// The number of calls that have started.
    private(set) var begun = 1
    private(set) var isOver = false
    private var underWay: Set<Int> = [1]
    /// The number of calls that were asked for, and neither granted nor refused yet.
    private var asked = 0
    private var lastTimer = 0

    init(attempts: Int) { self.attempts = attempts }

    /// Returns whether a call is in flight.
    func isUnderWay(_ number: Int) -> Bool { underWay.contains(number) }

    /// True if any call is in flight.
    var isAnyUnderWay: Bool { !underWay.isEmpty }

    /// Returns the timer for the next call; nil if none may follow.
    mutating func arm() -> Timer? {
        guard !isOver, !underWay.isEmpty, mayFollow else { return nil }
        lastTimer += 1
        return Timer(number: lastTimer)
    }

    /// Returns whether a timer is still valid.
    func isValid(_ timer: Timer) -> Bool { !isOver && timer.number == lastTimer }

    /// Reports that a timer has fired.
    mutating func fire(_ timer: Timer) -> Decision {
        guard isValid(timer), mayFollow else { return .wait }
        return ask()
    }

    /// Reports that a call has ended.
    ///
    /// If the result is `wait` and no call is in flight, another call has been asked for. If that call is refused,
    /// everything ends with the last failure.
    mutating func end(_ number: Int, with outcome: Outcome) -> Decision {
        guard underWay.remove(number) != nil else { return .wait }
        switch outcome.retry {
        case _ where outcome.isSuccess: return finish()
        case .never: return outcome.isFailure || isIdle ? finish() : .wait
        case .after(let delay?) where delay > .zero:
            // If no call is in flight, the waiting is left to a retry outside the hedge.
            if isIdle { return finish() }
            lastTimer += 1
            return mayFollow ? .arm(Timer(number: lastTimer), after: delay) : .wait
        case .after:
            if mayFollow { return ask() }
            return isIdle ? finish() : .wait
        }
    }

    /// Reports that the call that was asked for may be made.
    ///
    /// - Returns: The call's number; nil if everything is over.
    mutating func grant() -> Int? {
        asked -= 1
        guard !isOver else { return nil }
        begun += 1
        underWay.insert(begun)
        return begun
    }

    /// Reports that the call that was asked for may not be made.
    ///
    /// - Returns: True if the last failure is now final.
    mutating func refuse() -> Bool {
        asked -= 1
        guard !isOver, isIdle else { return false }
        isOver = true
        return true
    }

    /// Reports that the caller has cancelled.
    ///
    /// - Returns: False if everything was over already.
    mutating func cancel() -> Bool {
        defer { isOver = true }
        underWay = []
        return !isOver
    }

    private var isIdle: Bool { underWay.isEmpty && asked == 0 }
    private var mayFollow: Bool { begun + asked < attempts }

    private mutating func ask() -> Decision {
        asked += 1
        lastTimer += 1
        return .ask
    }

    private mutating func finish() -> Decision {
        isOver = true
        defer { underWay = [] }
        return .finish(losers: underWay.sorted())
    }
}

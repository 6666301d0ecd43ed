import PledgeFutures

/// A service whose slow calls are made twice.
final class HedgedService<Input: Sendable, Output: Sendable>: Sendable {
    let hedge: Hedge
    let classifier: Classifier<Output>
    let service: Service<Input, Output>

    init(
        hedge: Hedge, classifier: Classifier<Output>, service: @escaping Service<Input, Output>
    ) {
        self.hedge = hedge
        self.classifier = classifier
        self.service = service
    }

    func call(_ input: Input) -> Future<Output> {
        let context = CallContext.current
        let start = hedge.deposit()
        let record = CallRecord(within: context.record)
        let first = context.call(
            "call 1", attempt: context.attempt, record: record, by: hedgePolicy,
            named: hedge.name, classifier: classifier, service, input)
        if classifier.isPlainSuccess(first) {
            hedge.record(since: start)
            return first
        }
        return follow(first, record, in: context, input, start: start)
    }

    /// Waits for the first call, and makes further calls if they are needed.
    ///
    /// If the first call has already ended, and no other call may follow at once, its result is final.
    private func follow(
        _ first: Future<Output>, _ record: CallRecord, in context: CallContext, _ input: Input,
        start: SchedulerInstant
    ) -> Future<Output> {
        if let result = first.result {
            let outcome = classifier(result)
            if hedge.attempts == 1 || !outcome.retry.isAtOnce {
                hedge.record(result, outcome, since: start)
                return first
            }
        }
        return HedgedCall(self, record, in: context, input, start: start).start(with: first)
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
        var records: [Int: CallRecord]
        /// The contexts and task-local values for further calls.
        ///
        /// Only one thread at a time may use each of them. So there are several, because several threads may make
        /// further calls at the same time.
        var callers: [CallerContext]
        var starts: [Int: SchedulerInstant]
        var timer: (any ScheduledAction)?
        /// The last failure of a call that was made; it is the result if no call follows.
        var failure: Result<Output, any Error>?
        /// The number of further calls that a policy below has refused.
        var refused = 0
    }

    private let policy: HedgedService<Input, Output>
    private let context: CallContext
    private let input: Input
    private let soleSender = SoleSender()
    private let promise = InternalPromise<Output>()
    private let state: Locked<State>

    init(
        _ policy: HedgedService<Input, Output>, _ record: CallRecord, in context: CallContext,
        _ input: Input, start: SchedulerInstant
    ) {
        self.policy = policy
        self.context = context
        self.input = input
        state = Locked(
            State(
                machine: HedgeMachine(attempts: policy.hedge.attempts), records: [1: record],
                callers: (1..<min(policy.hedge.attempts, 3)).map { _ in
                    CallerContext(keeping: context)
                },
                starts: [1: start]))
        policy.hedge.beginCall()
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

    private func watch(_ number: Int, _ future: Future<Output>) {
        // The wait is a future of its own. Cancelling it doesn't settle the service's future, which others may hold
        // too.
        let branch = future.onEnd { result in self.endCall(number, result) }
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

    private func endCall(_ number: Int, _ result: Result<Output, any Error>) {
        let outcome = policy.classifier(result)
        // If a policy below refused this call, the service never got it. So the refusal doesn't end the other calls,
        // and doesn't replace the failure of another call.
        let isRefused = outcome.isRefusal
        // The same is true of a call that wasn't allowed to send, because another one of these calls was.
        let isUnmade = isRefused || (result.failure as? ServiceError)?.code == .superseded
        let (step, start, record, final) = state.withLockThenReleaseRest { state in
            let wasUnderWay = state.machine.isUnderWay(number)
            let step = state.machine.endCall(number, with: isRefused ? .ignorable : outcome)
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
        if isRefused, start != nil, number > 1 { policy.hedge.putBack() }
        if !outcome.isAnswer { record?.close() }
        if let start { policy.hedge.record(result, outcome, since: start) }
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
        guard let delay = policy.hedge.delay else { return }
        if !context.hasTime(for: delay) { return }
        if let timer = state.withLock({ $0.machine.arm() }) { arm(timer, after: delay) }
    }

    private func arm(_ timer: HedgeMachine.Timer, after delay: Duration) {
        let action = policy.hedge.scheduler.schedule(after: delay) {
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
        guard isInTime, isRepeatable, policy.hedge.withdraw() else {
            return refuse()
        }
        let now = policy.hedge.scheduler.now
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
        let caller = state.withLock { $0.callers.popLast() } ?? CallerContext(keeping: context)
        let future = caller.run {
            context.call(
                "hedge \(number)", attempt: context.attempt, record: record, by: hedgePolicy,
                named: policy.hedge.name, classifier: policy.classifier,
                policy.service, input)
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
        context.report(kind(), by: hedgePolicy, named: policy.hedge.name)
    }

    /// Settles the future, after cancelling all other calls.
    private func finish(
        with result: Result<Output, any Error>, winner: Int?, _ losers: [Int]
    ) {
        let (taken, begun) = takeAll()
        policy.hedge.endCall()
        for (number, record) in taken.records where number != winner { record.close() }
        if let winner, begun > 1 {
            report(.hedgeWon(number: winner))
            policy.hedge.refund(begun - 1 - taken.refused)
        }
        for loser in losers {
            report(.hedgeLost(number: loser))
            // The loser would have taken at least this long, so its time so far is recorded as a latency.
            if winner != nil, let start = taken.starts[loser] {
                policy.hedge.record(since: start)
            }
            taken.calls[loser]?.cancel()
        }
        promise.settle(with: result)
    }

    private func cancel() {
        if state.withLock({ $0.machine.cancel() }) { policy.hedge.endCall() }
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

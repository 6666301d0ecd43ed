import PledgeFutures

/// One call for which several may be made.
final class HedgedCall<Input: Sendable, Output: Sendable>: Sendable {
    private struct State {
        var machine: HedgeMachine
        /// The calls that are under way and known, by their numbers.
        var calls: [Int: Future<Output>] = [:]
        /// The highest priority of a task that awaits the answer.
        var raised: TaskPriority?
        /// The record of what each call has sent.
        var records: [Int: CallRecord]
        /// Whom further calls are for: one for each that may be asked for at the same time.
        var callers: [KeptCaller]
        /// When each call began.
        var starts: [Int: SchedulerInstant]
        var timer: (any ScheduledAction)?
        /// The last failure of a call that was made; the result if no call follows.
        var failure: Result<Output, any Error>?
        /// How many further calls a policy beneath has refused.
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

    /// Continues from the first call.
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
        // A separate branch: cancelling it does not affect other holders of the future.
        let branch = future.onEnd { result in self.end(number, result) }
        let (isWanted, raised) = state.withLock { state in
            guard state.machine.isUnderWay(number) else { return (false, nil as TaskPriority?) }
            state.calls[number] = branch
            return (true, state.raised)
        }
        if !isWanted { branch.cancel() }
        if let raised { branch.raise(to: raised) }
    }

    /// Notes that a task awaits the answer.
    ///
    /// - Returns: The calls under way, which are raised to its priority.
    private func raise(to priority: TaskPriority) -> [FutureNode] {
        state.withLock { state in
            state.raised = max(state.raised ?? priority, priority)
            return Array(state.calls.values)
        }
    }

    private func end(_ number: Int, _ result: Result<Output, any Error>) {
        let outcome = policy.classifier(result)
        // A call that a policy beneath refused was not made: it ends none of the others, and counts for nothing if
        // there was another.
        let isRefused = outcome.isRefusal
        let (step, start, record, replaced, final) = state.withLockThenReleaseRest { state in
            let wasUnderWay = state.machine.isUnderWay(number)
            let step = state.machine.end(number, with: isRefused ? .ignorable : outcome)
            let previous = state.failure
            let counts = wasUnderWay && !(isRefused && previous != nil)
            if counts { state.failure = result }
            if isRefused, wasUnderWay, number > 1 { state.refused += 1 }
            let start = wasUnderWay ? state.starts[number] : nil
            return (
                (
                    step, start, state.records[number], counts ? previous : result,
                    counts ? result : previous ?? result
                ),
                state.calls.removeValue(forKey: number)
            )
        }
        replaced?.replaced(of: input)
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
        if let remaining = context.remaining, delay >= remaining { return }
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

    /// Makes another call, if what was sent, the budgets and the deadline allow.
    private func ask() {
        let isInTime = context.remaining.map { $0 > .zero } ?? true
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

    /// Whether what the calls have sent so far may be sent again.
    ///
    /// From now on at most one of them may send requests that may not be sent twice.
    private var isRepeatable: Bool {
        // A failure is about its own call, and not about those under way.
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

    /// Settles, after all others have been cancelled.
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
            // It would have taken at least this long.
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
        taken.failure?.replaced(of: input)
        for record in taken.records.values { record.close() }
        for (_, call) in taken.calls.sorted(by: { $0.key < $1.key }) { call.cancel() }
    }

    /// Removes all stored objects, and cancels the timer.
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

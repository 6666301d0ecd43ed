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

    let attempts: Int

    private(set) var begun = 1
    private(set) var isOver = false
    private var underWay: Set<Int> = [1]
    /// The number of calls that were asked for, and neither granted nor refused yet.
    private var asked = 0
    private var lastTimer = 0

    init(attempts: Int) { self.attempts = attempts }

    func isUnderWay(_ number: Int) -> Bool { underWay.contains(number) }

    var isAnyUnderWay: Bool { !underWay.isEmpty }

    /// Returns the timer for the next call; nil if none may follow.
    mutating func arm() -> Timer? {
        guard !isOver, !underWay.isEmpty, mayFollow else { return nil }
        lastTimer += 1
        return Timer(number: lastTimer)
    }

    func isValid(_ timer: Timer) -> Bool { !isOver && timer.number == lastTimer }

    mutating func fire(_ timer: Timer) -> Decision {
        guard isValid(timer), mayFollow else { return .wait }
        return ask()
    }

    /// Reports that a call has ended.
    ///
    /// If the result is `wait` and no call is in flight, another call has been asked for. If that call is refused,
    /// everything ends with the last failure.
    mutating func endCall(_ number: Int, with outcome: Outcome) -> Decision {
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

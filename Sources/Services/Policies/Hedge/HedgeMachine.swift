/// The state of the calls that are made for one, and the decision when one ends.
///
/// Calls are numbered from one, the first of which is under way. Next: `isOver`, by a success, a fatal
/// failure, the caller's cancellation, or when nothing is under way and nothing may follow; until then,
/// further calls. Each is requested first, because it costs a budget outside this machine.
struct HedgeMachine: Sendable {
    /// What to do next.
    enum Decision: Equatable {
        /// Others are under way, or all is over.
        case wait
        /// Decide whether another call may be made, and report it by ``HedgeMachine/grant()`` or
        /// ``HedgeMachine/refuse()``.
        case ask
        /// Ask after the delay that the service asked for.
        case arm(Timer, after: Duration)
        /// The result of the call that has just ended is final; the caller cancels the named calls.
        case finish(losers: [Int])
    }

    /// A timer is invalid after another is set, or another call has begun.
    struct Timer: Equatable, Sendable {
        fileprivate let number: Int
    }

    /// The largest number of calls, the first included.
    let attempts: Int

    /// How many have begun.
    private(set) var begun = 1
    private(set) var isOver = false
    private var underWay: Set<Int> = [1]
    /// How many calls have been asked for, and neither been granted nor refused.
    private var asked = 0
    private var lastTimer = 0

    init(attempts: Int) { self.attempts = attempts }

    /// Whether a call is under way.
    func isUnderWay(_ number: Int) -> Bool { underWay.contains(number) }

    /// Whether any call is under way.
    var isAnyUnderWay: Bool { !underWay.isEmpty }

    /// The timer for the next call; nil if no call may follow.
    mutating func arm() -> Timer? {
        guard !isOver, !underWay.isEmpty, mayFollow else { return nil }
        lastTimer += 1
        return Timer(number: lastTimer)
    }

    /// Whether a timer is still valid.
    func isValid(_ timer: Timer) -> Bool { !isOver && timer.number == lastTimer }

    /// A timer has fired.
    mutating func fire(_ timer: Timer) -> Decision {
        guard isValid(timer), mayFollow else { return .wait }
        return ask()
    }

    /// A call has ended.
    ///
    /// If the answer is `wait` and no call is under way, a later refusal ends everything with the last
    /// failure.
    mutating func end(_ number: Int, with outcome: Outcome) -> Decision {
        guard underWay.remove(number) != nil else { return .wait }
        switch outcome.retry {
        case _ where outcome.isSuccess: return finish()
        case .never: return outcome.isFailure || isIdle ? finish() : .wait
        case .after(let delay?) where delay > .zero:
            // Waiting while no call is under way is the task of a retry.
            if isIdle { return finish() }
            lastTimer += 1
            return mayFollow ? .arm(Timer(number: lastTimer), after: delay) : .wait
        case .after:
            if mayFollow { return ask() }
            return isIdle ? finish() : .wait
        }
    }

    /// The call that was asked for may be made.
    ///
    /// - Returns: Its number; nil if all is over.
    mutating func grant() -> Int? {
        asked -= 1
        guard !isOver else { return nil }
        begun += 1
        underWay.insert(begun)
        return begun
    }

    /// The call that was asked for may not be made.
    ///
    /// - Returns: Whether the last failure is then final.
    mutating func refuse() -> Bool {
        asked -= 1
        guard !isOver, isIdle else { return false }
        isOver = true
        return true
    }

    /// The caller has given up.
    ///
    /// - Returns: False if all was over before.
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

/// Which of the calls that are made for one are under way, and what follows when one ends.
///
/// Calls are numbered from one, the first of which is under way. Next: `isOver`, by a success, a fatal
/// failure, the caller's cancellation, or when nothing is under way and nothing may follow; until then,
/// further calls, each of which is asked for first, since it costs a budget that lies elsewhere.
struct HedgeMachine: Sendable {
    /// What to do next.
    enum Decision: Equatable {
        /// Others are under way, or all is over.
        case wait
        /// Find out whether another call may be made, and tell by ``HedgeMachine/grant()`` or
        /// ``HedgeMachine/refuse()``.
        case ask
        /// Ask when the service's own delay has passed.
        case arm(Timer, after: Duration)
        /// What has just ended is the end of all; the calls named are to be cancelled.
        case finish(losers: [Int])
    }

    /// A timer is void once another is set, or another call begun.
    struct Timer: Equatable, Sendable {
        fileprivate let number: Int
    }

    /// How many calls there may be, the first included.
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

    /// The timer for the next call, nil if there is to be none.
    mutating func arm() -> Timer? {
        guard !isOver, !underWay.isEmpty, mayFollow else { return nil }
        lastTimer += 1
        return Timer(number: lastTimer)
    }

    /// Whether a timer still stands.
    func isValid(_ timer: Timer) -> Bool { !isOver && timer.number == lastTimer }

    /// A timer has fired.
    mutating func fire(_ timer: Timer) -> Decision {
        guard isValid(timer), mayFollow else { return .wait }
        return ask()
    }

    /// A call has ended.
    ///
    /// Where the answer is to wait and nothing is under way, a later refusal ends all with the last
    /// failure.
    mutating func end(_ number: Int, with outcome: Outcome) -> Decision {
        guard underWay.remove(number) != nil else { return .wait }
        switch outcome {
        case .success, .failure: return finish()
        case .ignorable: return isIdle ? finish() : .wait
        case .retryable(let delay?) where delay > .zero:
            // To wait while nothing is under way is for a retry.
            if isIdle { return finish() }
            lastTimer += 1
            return mayFollow ? .arm(Timer(number: lastTimer), after: delay) : .wait
        case .retryable:
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
    /// - Returns: Whether the last failure thereby is the end of all.
    mutating func refuse() -> Bool {
        asked -= 1
        guard !isOver, isIdle else { return false }
        isOver = true
        return true
    }

    /// The caller has gone.
    mutating func cancel() {
        isOver = true
        underWay = []
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

import PledgeFutures

/// The counts of an adaptive throttle, and how likely it refuses the next call.
///
/// A call counts when it has ended: calls in flight are no evidence, so that a burst of the first calls is not
/// refused. All counts are whole, and the odds need no root, so they are the same on every machine.
struct AdaptiveThrottleMachine: Sendable {
    /// The width of the ten slices in which calls are counted for their rate, and the shortest time that a rate
    /// is computed over, as in Envoy.
    private static let rateSlice = Duration.seconds(1)

    private let rule: ThrottleRule
    private let maxProbability: Double
    private let minimumRate: Int
    /// The calls that ended, and those that were refused if the rule counts them.
    private var requests: SlicedSum
    private var accepts: SlicedSum
    /// The calls that began, refused ones included.
    private var arrivals: SlicedSum
    /// When the first of the calls came between which there was no pause of a window.
    private var firstArrival: SchedulerInstant?

    init(_ rule: ThrottleRule, maxProbability: Double, minimumRate: Int) {
        self.rule = rule
        self.maxProbability = maxProbability
        self.minimumRate = minimumRate
        requests = SlicedSum(over: rule.window, slices: 10)
        accepts = requests
        arrivals = SlicedSum(over: Self.rateSlice * 10, slices: 10)
    }

    /// Whether it has the same state as a new one, for the next call.
    mutating func isIdle(at instant: SchedulerInstant) -> Bool {
        requests.sum(at: instant) == 0 && arrivals.sum(at: instant) == 0
    }

    /// The odds against the next call, without counting one.
    mutating func odds(at instant: SchedulerInstant) -> ThrottleOdds {
        let isFast = rateIsReached(at: instant)
        return ThrottleOdds(
            quotient: isFast ? quotient(at: instant) : 0, aggression: rule.aggression,
            limit: maxProbability)
    }

    /// Counts a call that arrives.
    ///
    /// - Returns: The odds against it. If it is refused, ``refuse(at:)`` follows.
    mutating func enter(at instant: SchedulerInstant) -> ThrottleOdds {
        if arrivals.sum(at: instant) == 0 { firstArrival = instant }
        arrivals.add(1, at: instant)
        return odds(at: instant)
    }

    /// Counts a refusal.
    mutating func refuse(at instant: SchedulerInstant) {
        if rule.countsRefusals { requests.add(1, at: instant) }
    }

    /// Counts the end of a call that was not refused.
    mutating func end(isAccepted: Bool, at instant: SchedulerInstant) {
        requests.add(1, at: instant)
        if isAccepted { accepts.add(1, at: instant) }
    }

    private mutating func quotient(at instant: SchedulerInstant) -> Double {
        let count = Double(requests.sum(at: instant))
        let allowed = rule.multiplier * Double(accepts.sum(at: instant))
        return max(0, (count - allowed) / (count + 1))
    }

    /// Whether as many calls came after the first as the rate allows in that time.
    private mutating func rateIsReached(at instant: SchedulerInstant) -> Bool {
        if minimumRate == 0 { return true }
        let slice = Self.rateSlice.nanoseconds
        let time = firstArrival.map { $0.duration(to: instant).nanoseconds } ?? 0
        let begun = instant.offset.nanoseconds % slice
        let window = 9 * slice + (begun < 0 ? begun + slice : begun)
        let counted = min(max(time, slice), window)
        let count = Int128(arrivals.sum(at: instant) - 1) * 1_000_000_000
        return count >= Int128(minimumRate) * Int128(counted)
    }
}

/// How likely a throttle refuses a call.
struct ThrottleOdds: Equatable, Sendable {
    /// What the rule takes the root of.
    let quotient: Double
    let aggression: Int
    let limit: Double

    /// Whether no call is refused.
    var isZero: Bool { quotient <= 0 }

    /// Decides by a number from 0 up to 1, every one of which is as likely.
    ///
    /// It is less than the root of the quotient if its power is less than the quotient, which multiplication
    /// decides alike on every machine.
    func refuses(_ fraction: Double) -> Bool {
        fraction < limit && power(fraction) < quotient
    }

    /// The probability, to the precision of a Double: by bisection, which ends at the limit if the root is above.
    var probability: Double {
        if isZero { return 0 }
        var (low, high) = (0.0, limit)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if power(middle) < quotient { low = middle } else { high = middle }
        }
        return high
    }

    private func power(_ number: Double) -> Double {
        var product = number
        for _ in 1..<aggression { product *= number }
        return product
    }
}

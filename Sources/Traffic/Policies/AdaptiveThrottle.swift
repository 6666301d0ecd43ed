public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Refuses a share of the calls to an overloaded service: the more calls fail, the larger the share.
    ///
    /// ```swift
    /// let throttle = AdaptiveThrottle(named: "shop")
    /// let api = stack(.throttle(sharing: throttle), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// A refused call fails at once, on the caller's thread, with `ServiceError.Code.throttled`. All other calls
    /// pass, on the caller's thread, and their results are returned unchanged.
    ///
    /// - Parameters:
    ///   - throttle: The throttle, shared by all stacks that call the service.
    ///   - classifier: Assesses the end of a call. Ends that say nothing about the service's health don't count.
    public static func throttle(
        sharing throttle: AdaptiveThrottle, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: AdaptiveThrottle.policy, isIdle: { throttle.isIdle }) { service in
            { input in throttle.call(service, input, classifier: classifier) }
        }
    }
}

/// Refuses a share of the calls to a service, depending on the share of recent calls that it accepted.
///
/// ```swift
/// let throttle = AdaptiveThrottle(named: "shop")
/// let products = stack(.throttle(sharing: throttle), over: loadProduct)
/// let prices = stack(.throttle(sharing: throttle), over: loadPrice)
/// ```
///
/// An overloaded service spends time even on the calls that it refuses. A client that makes fewer calls saves the
/// service some of this time, which is then left for the other calls. The client needs no signal from the service or
/// from other clients. A circuit breaker lets all calls pass or none; a throttle lets a share pass, and adjusts it with
/// each call that ends.
///
/// A call counts as accepted if its end shows that the service is healthy (`Outcome.health`), even if the answer
/// rejects the request. Ends that show nothing don't count: cancelled calls, refusals by other policies, and calls
/// whose caller ran out of time. Calls in flight don't count either.
///
/// Some calls always pass, so that a service that has recovered is noticed: the probability of a refusal is at most
/// `maxProbability`. A few calls are too little evidence, so all calls pass while their rate is below `minimumRate`.
///
/// Create one for each service, and pass it to every stack that calls the service. You can use it from any thread. A
/// call takes a lock for constant time when it starts, when it is refused, and when it ends. (Beyer et al., "Site
/// Reliability Engineering", chapter 21; Envoy, "Admission control".)
public final class AdaptiveThrottle: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The probability that the next call is refused; 0…1.
    public var probability: Double {
        let now = scheduler.now
        return machine.withLock { $0.odds(at: now) }.probability
    }

    /// Creates a throttle that has counted no calls.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - rule: The rule that sets the probability of a refusal.
    ///   - maxProbability: The highest probability of a refusal; 0…1. With 1, a service that fails every call perhaps
    ///     isn't called again until its failures are older than the rule's window.
    ///   - minimumRate: The rate below which no call is refused, in calls per second over the last ten seconds,
    ///     including refused calls; 0…1,000,000.
    ///   - scheduler: The clock. The throttle schedules no action on it.
    ///   - random: The source of randomness. One number is drawn for each call that may be refused.
    public init(
        named name: String? = nil, rule: ThrottleRule = .acceptMultiplier(),
        maxProbability: Double = 0.8, minimumRate: Int = 5,
        on scheduler: some FutureScheduler = .live, random: RandomSource = .system
    ) {
        precondition(
            (0...1).contains(maxProbability),
            "a throttle needs a maxProbability in 0...1, not \(maxProbability)")
        precondition(
            (0...1_000_000).contains(minimumRate),
            "a throttle needs a minimumRate in 0...1000000, not \(minimumRate)")
        machine = Locked(
            AdaptiveThrottleMachine(
                rule, maxProbability: maxProbability, minimumRate: minimumRate))
        self.name = name
        self.scheduler = scheduler
        self.random = random
    }

    private let machine: Locked<AdaptiveThrottleMachine>
    private let scheduler: any FutureScheduler
    private let random: RandomSource
}

extension AdaptiveThrottle {
    /// True if the throttle is in the same state as a new one.
    fileprivate var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now) }
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, classifier: Classifier<Output>
    ) -> Future<Output> {
        let now = scheduler.now
        let odds = machine.withLock { $0.beginCall(at: now) }
        // The random source may be the user's code, so it must not run under a lock.
        if !odds.isZero, odds.refuses(random.fraction()) { return refuse(input, at: now) }
        let future = service(input)
        if classifier.isPlainSuccess(future) {
            recordEnd(with: .healthy)
            return future
        }
        return followLater(future, classifier)
    }

    private func refuse<Output: Sendable>(
        _ input: some Sendable, at now: SchedulerInstant
    ) -> Future<Output> {
        machine.withLock { $0.refuse(at: now) }
        return CallContext.current.refuse(
            with: ServiceError(
                .throttled, policy: Self.policy, policyName: name, subject: loggedName(of: input)))
    }

    /// Records the end of a call: at once if the call has ended, or else when it ends.
    ///
    /// This is a separate function because it looks up generic types at run time. If it were inlined, every call would
    /// do these lookups, even a call that has already succeeded.
    @inline(never)
    private func followLater<Output: Sendable>(
        _ future: Future<Output>, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        future.atEnd(with: { result in self.recordEnd(with: classifier(result).health) })
    }

    private func recordEnd(with health: Outcome.Health) {
        guard health != .unknown else { return }
        let now = scheduler.now
        machine.withLock { $0.endCall(isAccepted: health == .healthy, at: now) }
    }
}

/// A rule that sets the probability of a refusal from the calls that ended in a window of time.
///
/// Both rules take a root of max(0, (n − K × accepts) ÷ (n + 1)), where the service accepted `accepts` of n calls. They
/// differ in n: in ``acceptMultiplier(_:over:)``, as in Google's rule, n includes the calls that the throttle refused;
/// in ``successRate(_:aggression:over:)``, as in Envoy's rule, n doesn't include them.
public struct ThrottleRule: Hashable, Sendable {
    /// K: the number of calls that the service may get for each call it accepts.
    let multiplier: Double
    /// The degree of the root that the rule takes.
    let aggression: Int
    /// True if the rule's number of requests includes those that the throttle refused.
    let countsRefusals: Bool
    let window: Duration

    /// The rule of Google's clients: p = max(0, (requests − K × accepts) ÷ (requests + 1)).
    ///
    /// In the long run, the service gets K calls for each one that it accepts. With 2, a service that accepts at least
    /// half of the calls gets all of them. (Beyer et al., "Site Reliability Engineering", chapter 21, "Handling
    /// Overload".)
    ///
    /// Google's window is two minutes. With such a window, no call is refused in an outage of half a minute that
    /// follows two minutes of answers. But after a long outage, calls are refused for two more minutes.
    ///
    /// - Parameters:
    ///   - multiplier: K; 1…1,000. A value out of range is a programming error and traps.
    ///   - window: The length of the window; from a millisecond to an hour. A value out of range is a programming error
    ///     and traps.
    /// - Returns: The rule.
    public static func acceptMultiplier(
        _ multiplier: Double = 2, over window: Duration = .seconds(10)
    ) -> ThrottleRule {
        precondition(
            (1...1_000).contains(multiplier),
            "a throttle needs a multiplier in 1...1000, not \(multiplier)")
        return ThrottleRule(
            multiplier: multiplier, aggression: 1, countsRefusals: true, window: window)
    }

    /// The rule of Envoy's admission control: p = max(0, (n − accepts ÷ rate) ÷ (n + 1)) to the power 1 ÷ aggression.
    ///
    /// It refuses calls as soon as the share of accepted calls is below the rate. (Envoy, "Admission control".)
    ///
    /// - Parameters:
    ///   - rate: The share of accepted calls below which calls are refused; 0.01…1. A value out of range is a
    ///     programming error and traps.
    ///   - aggression: The steepness of the rule; 1…10. With 1, the probability grows in proportion to the missing
    ///     successes. With a higher value, a few missing successes already make the probability high. A value out of
    ///     range is a programming error and traps.
    ///   - window: The length of the window; from a millisecond to an hour. A value out of range is a programming error
    ///     and traps.
    /// - Returns: The rule.
    public static func successRate(
        _ rate: Double = 0.95, aggression: Int = 1, over window: Duration = .seconds(30)
    ) -> ThrottleRule {
        precondition(
            (0.01...1).contains(rate), "a throttle needs a success rate in 0.01...1, not \(rate)")
        precondition(
            (1...10).contains(aggression),
            "a throttle needs an aggression in 1...10, not \(aggression)")
        return ThrottleRule(
            multiplier: 1 / rate, aggression: aggression, countsRefusals: false, window: window)
    }

    private init(multiplier: Double, aggression: Int, countsRefusals: Bool, window: Duration) {
        precondition(
            (.milliseconds(1) ... .seconds(3_600)).contains(window),
            "a throttle needs a window from a millisecond to an hour, not \(window)")
        self.multiplier = multiplier
        self.aggression = aggression
        self.countsRefusals = countsRefusals
        self.window = window
    }
}

/// The counts of an adaptive throttle, and the odds that it refuses the next call.
///
/// A call counts when it has ended. Calls in flight are no evidence yet, so an initial burst isn't refused. All counts
/// are integers, and a decision computes no root, so the decisions are the same on every machine.
struct AdaptiveThrottleMachine: Sendable {
    /// The width of each of the ten slices that count arrivals.
    ///
    /// It is also the shortest time over which a rate is computed, as in Envoy.
    private static let rateSlice = Duration.seconds(1)

    private let rule: ThrottleRule
    private let maxProbability: Double
    private let minimumRate: Int
    /// The calls that ended, plus the refused ones if the rule counts them.
    private var requests: SlicedSum
    private var accepts: SlicedSum
    /// The calls that arrived, including refused ones.
    private var arrivals: SlicedSum
    /// The first arrival since the window of arrivals was last empty.
    private var firstArrival: SchedulerInstant?

    init(_ rule: ThrottleRule, maxProbability: Double, minimumRate: Int) {
        self.rule = rule
        self.maxProbability = maxProbability
        self.minimumRate = minimumRate
        requests = SlicedSum(over: rule.window, slices: 10)
        accepts = requests
        arrivals = SlicedSum(over: Self.rateSlice * 10, slices: 10)
    }

    /// Returns whether the next call would find the same state as in a new throttle.
    mutating func isIdle(at instant: SchedulerInstant) -> Bool {
        requests.sum(at: instant) == 0 && arrivals.sum(at: instant) == 0
    }

    /// Returns the odds that the next call is refused, without counting a call.
    mutating func odds(at instant: SchedulerInstant) -> ThrottleOdds {
        let isFast = rateIsReached(at: instant)
        return ThrottleOdds(
            quotient: isFast ? quotient(at: instant) : 0, aggression: rule.aggression,
            limit: maxProbability)
    }

    /// Counts a call that arrives.
    ///
    /// - Returns: The odds that the call is refused. If it is refused, ``refuse(at:)`` must follow.
    mutating func beginCall(at instant: SchedulerInstant) -> ThrottleOdds {
        if arrivals.sum(at: instant) == 0 { firstArrival = instant }
        arrivals.add(1, at: instant)
        return odds(at: instant)
    }

    mutating func refuse(at instant: SchedulerInstant) {
        if rule.countsRefusals { requests.add(1, at: instant) }
    }

    /// Counts the end of a call that wasn't refused.
    mutating func endCall(isAccepted: Bool, at instant: SchedulerInstant) {
        requests.add(1, at: instant)
        if isAccepted { accepts.add(1, at: instant) }
    }

    private mutating func quotient(at instant: SchedulerInstant) -> Double {
        let count = Double(requests.sum(at: instant))
        let allowed = rule.multiplier * Double(accepts.sum(at: instant))
        return max(0, (count - allowed) / (count + 1))
    }

    /// Returns whether calls have come at the minimum rate or faster.
    ///
    /// The rate is measured over the window of arrivals, or since the first arrival if that is shorter, but over at
    /// least one second.
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

struct ThrottleOdds: Equatable, Sendable {
    /// The rule's quotient; its root is the probability of a refusal, unless the root exceeds `limit`.
    let quotient: Double
    let aggression: Int
    let limit: Double

    /// True if no call is refused.
    var isZero: Bool { quotient <= 0 }

    /// Decides about a call, with a uniformly distributed number in 0..<1.
    ///
    /// Instead of comparing the number with the quotient's root, this compares the number's power with the quotient. A
    /// power takes only multiplications, which give the same result on every machine.
    func refuses(_ fraction: Double) -> Bool {
        fraction < limit && power(fraction) < quotient
    }

    /// The probability of a refusal, to the precision of a Double.
    ///
    /// It is found by bisection between 0 and the limit.
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

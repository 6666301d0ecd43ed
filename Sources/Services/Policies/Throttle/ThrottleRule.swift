/// How likely a throttle refuses a call, by the ends of the calls in a window of time.
///
/// Both rules are a root of max(0, (n − K × accepts) ÷ (n + 1)), where the service accepted some of n calls.
/// They differ in what n counts. By ``acceptMultiplier(_:over:)`` n includes the calls that the
/// throttle itself refused, as in Google's; by ``successRate(_:aggression:over:)`` it does not, as in Envoy's.
public struct ThrottleRule {
    /// How many calls the service may get for each one that it accepts.
    let multiplier: Double
    /// The root of the quotient that is taken.
    let aggression: Int
    /// Whether n includes the calls that the throttle refused.
    let countsRefusals: Bool
    let window: Duration

    /// The rule of Google's clients: p = max(0, (requests − K × accepts) ÷ (requests + 1)).
    ///
    /// In the long run the service gets K calls for each one that it accepts. With 2, a service that
    /// accepts half of the calls or more gets all of them. (Beyer et al., "Site Reliability Engineering",
    /// chapter 21, "Handling Overload".)
    ///
    /// There the window is two minutes. After two minutes of answers such a window refuses nothing in an outage of half a
    /// minute, and after a long outage it refuses calls for two minutes more.
    ///
    /// - Parameters:
    ///   - multiplier: K; 1…1,000, otherwise it is a programming error and traps.
    ///   - window: The length of the window; from a millisecond to an hour, otherwise it is a programming error and
    ///     traps.
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

    /// The rule of Envoy's admission control: p = max(0, (n − accepts ÷ rate) ÷ (n + 1)), to the power of
    /// 1 ÷ aggression.
    ///
    /// It refuses as soon as the share of accepted calls is below the rate. (Envoy, "Admission control".)
    ///
    /// - Parameters:
    ///   - rate: The share of accepted calls below which calls are refused; 0.01…1, otherwise it is a
    ///     programming error and traps.
    ///   - aggression: With 1 the probability grows in proportion to the missing successes; with more it
    ///     grows faster at first. 1…10, otherwise it is a programming error and traps.
    ///   - window: The length of the window; from a millisecond to an hour, otherwise it is a programming error and
    ///     traps.
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

extension ThrottleRule: Hashable, Sendable {}

public import PledgeServices

extension AdaptiveConcurrency: GaugedState {
    /// The calls in flight, the calls that wait, and the limit.
    public var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued), .limit: Double(limit)]
    }
}

extension LoadShedder: GaugedState {
    /// The calls in flight, and the calls that wait.
    public var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued)]
    }
}

extension AdaptiveThrottle: GaugedState {
    /// The label `throttle`.
    public static var policy: String { "throttle" }

    /// The share of calls that the throttle refuses.
    public var gauges: [StateGauge: Double] { [.probability: probability] }
}

public import PledgeServices

extension AdaptiveConcurrency: StateNumbers {
    /// The calls in flight, the calls that wait, and the limit.
    package var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued), .limit: Double(limit)]
    }
}

extension LoadShedder: StateNumbers {
    /// The calls in flight, and the calls that wait.
    package var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued)]
    }
}

extension AdaptiveThrottle: StateNumbers {
    /// The label `throttle`.
    package static var policy: String { "throttle" }

    /// The share of calls that the throttle refuses.
    package var gauges: [StateGauge: Double] { [.probability: probability] }
}

import PledgeFutures

/// The counters and histograms of events.
struct MetricsTable: Sendable {
    /// How many spans of calls may be open: a further one is counted as "other" at its end.
    static let openLimit = 65_536

    private(set) var calls = MetricFamily<PrometheusHistogram>(
        "call_duration_seconds", help: "How long calls took, by name and outcome.",
        labels: [callLabel, "outcome"])
    private(set) var health = MetricFamily<Int>(
        "call_health_total", help: "What the ends of calls say about the service's health.",
        labels: [callLabel, "health"])
    private(set) var inFlight = MetricFamily<Int>(
        "calls_in_flight", help: "Calls that have begun and not ended.", labels: [callLabel])
    private(set) var attempts = MetricFamily<PrometheusHistogram>(
        "attempt_duration_seconds",
        help: "How long the parts of calls took that policies make: attempts, hedges.",
        labels: [callLabel, "policy", policyNameLabel, "outcome"])
    private(set) var waits = MetricFamily<PrometheusHistogram>(
        "queue_wait_seconds", help: "How long calls that went on had waited in a queue.",
        labels: [callLabel, "policy", policyNameLabel])
    private(set) var events = MetricFamily<Int>(
        "policy_events_total", help: "What policies did, by kind and reason.",
        labels: [callLabel, "policy", policyNameLabel, "event", "reason"])

    private struct SpanKey: Hashable, Sendable {
        let call: UInt64
        let span: Int
    }

    private var names: BoundedLabels
    private var policies: BoundedLabels
    private var policyNames: BoundedLabels
    private var reasons: BoundedLabels
    /// The labels of the calls in flight, since the event of an end has no name.
    private var open: [SpanKey: String] = [:]
    /// The outermost observed span of each call in flight, whose name the events of its policies get.
    private var roots: [UInt64: (span: Int, name: String)] = [:]

    init(labelLimit: Int) {
        names = BoundedLabels(limit: labelLimit)
        policies = BoundedLabels(limit: labelLimit)
        policyNames = BoundedLabels(limit: labelLimit)
        reasons = BoundedLabels(limit: labelLimit)
    }

    /// Adds an event.
    mutating func add(_ event: PolicyEvent) {
        let isCall = event.policy == PolicyEvent.callPolicy
        let key = SpanKey(call: event.call, span: event.span)
        switch event.kind {
        case .began(let name):
            if isCall { openSpan(key, named: name) }
        case .ended(let outcome, let latency, _) where isCall:
            end(key, outcome, after: latency)
        case .ended(let outcome, let latency, _):
            attempts[policy(of: event) + [outcome.label], default: PrometheusHistogram()].add(
                latency)
        default:
            let policy = policy(of: event)
            let reason = event.kind.reason
            // An absent reason is not counted as a value.
            let label = reason.isEmpty ? "" : reasons.admit(reason)
            events[policy + [event.kind.word, label], default: 0] += 1
            guard case .dequeued(let wait) = event.kind else { return }
            waits[policy, default: PrometheusHistogram()].add(wait)
        }
    }

    /// The values of the labels that identify the call and the policy.
    private mutating func policy(of event: PolicyEvent) -> [String] {
        [
            roots[event.call]?.name ?? "", policies.admit(event.policy),
            event.policyName.map { policyNames.admit($0) } ?? "",
        ]
    }

    private mutating func openSpan(_ key: SpanKey, named name: String) {
        let name = names.admit(name)
        guard open.count < Self.openLimit, open.updateValue(name, forKey: key) == nil else {
            return
        }
        inFlight[[name], default: 0] += 1
        if roots[key.call] == nil { roots[key.call] = (key.span, name) }
    }

    private mutating func end(
        _ key: SpanKey, _ outcome: Outcome,
        after latency: Duration
    ) {
        let open = open.removeValue(forKey: key)
        if roots[key.call]?.span == key.span { roots[key.call] = nil }
        if let open { inFlight[[open], default: 0] -= 1 }
        let name = open ?? BoundedLabels.other
        calls[[name, outcome.label], default: PrometheusHistogram()].add(latency)
        health[[name, outcome.health.rawValue], default: 0] += 1
    }
}

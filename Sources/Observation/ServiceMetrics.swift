import PledgeFutures
public import PledgeServices

/// Counters and latency histograms of policies, as text for Prometheus.
///
/// ```swift
/// let metrics = ServiceMetrics()
/// let api = stack(
///     .observed(by: metrics.observer, named: { _ in "load product" }), .retry(), over: transport)
/// print(metrics.prometheusText)
/// ```
///
/// With the prefix `pledge`, the families are:
///
/// | Name | Type | Labels |
/// |---|---|---|
/// | `pledge_call_duration_seconds` | histogram | `call`: the name; `outcome` |
/// | `pledge_call_health_total` | counter | `call`; `health`: `healthy`, `unhealthy` or `unknown` |
/// | `pledge_calls_in_flight` | gauge | `call` |
/// | `pledge_attempt_duration_seconds` | histogram | `call`; `policy`: whose attempt it was; `policy_name`; `outcome` |
/// | `pledge_queue_wait_seconds` | histogram | `call`, `policy`, `policy_name` |
/// | `pledge_policy_events_total` | counter | `call`, `policy`, `policy_name`, `event`, `reason` |
/// | `pledge_policy_in_flight`, `_queued`, `_limit`, `_balance`, `_state`, `_probability` | gauge | `policy`, `policy_name`; see ``watch(_:)`` |
///
/// Histograms have the bounds 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5 and 10 seconds, the defaults of
/// Prometheus' own clients. Outcomes are `success`, `retryable`, `failure` and `ignorable`, as the caller sees them.
/// So a rejection by a healthy service is a failure.
///
/// The label `policy_name` is the name given to a policy's state, such as a circuit breaker's. The label is missing if
/// the state has no name. In a client that makes a state for each origin, the name is the origin. An event after the
/// end of its call has no label `call`.
///
/// Each new value of a label adds time series that are never removed. So let a call's name say what kind of call it is,
/// not which product it loads. When a label has reached its limit of values, further values are counted as `other`.
/// Values are cut after 128 Unicode scalars.
///
/// You can use the metrics from any thread. Counting an event holds a lock for constant time. The memory is bounded by
/// the values of labels and by the calls in flight, at most 65,536 of them.
public final class ServiceMetrics: Sendable {
    /// The observer that counts events.
    ///
    /// It may observe a call and the calls within it, such as a server's route and its upstreams: each is counted once,
    /// under its own name.
    public var observer: ServiceObserver {
        ServiceObserver(
            for: self, { event in self.table.withLock { $0.add(event) } },
            watch: { state in if let state = state as? any StateNumbers { self.watch(state) } })
    }

    /// All series, in Prometheus' text format, version 0.0.4; empty if nothing was counted yet.
    ///
    /// Answer a scrape with this text and ``contentType``. The order of the series is always the same. The time is
    /// proportional to the number of series. New events wait only while the table is copied.
    public var prometheusText: String {
        let table = table.withLock { $0 }
        return table.prometheusText(prefix: prefix, gauges: gauges)
    }

    /// Shows the numbers of a state, such as a breaker, a bulkhead or a budget, from now on.
    ///
    /// ```swift
    /// metrics.watch(breaker)
    /// ```
    ///
    /// The metrics don't keep the state alive, so its numbers are shown only while other code keeps the state. If
    /// several states have the same name, their numbers are added. For breakers and throttles, the largest number is
    /// shown instead.
    ///
    /// An HTTP client with this ``observer`` calls this for the states that it creates. The number of watched states is
    /// limited, and further states aren't shown.
    public func watch(_ state: some GaugedState) {
        guard let state = state as? any StateNumbers else { return }
        watched.withLock { watched in
            if watched.count >= watchLimit { watched = watched.filter { $0.value.state != nil } }
            guard watched.count < watchLimit else { return }
            watched[ObjectIdentifier(state)] = Watched(state: state)
        }
    }

    private struct Watched {
        weak var state: (any StateNumbers)?
    }

    /// The numbers of all watched states.
    private var gauges: [StateGauge: MetricFamily<Double>] {
        var families: [StateGauge: MetricFamily<Double>] = [:]
        for state in watched.withLock({ $0.values.compactMap(\.state) }) {
            let labels = [type(of: state).policy, state.name?.cut(to: 128) ?? ""]
            for (gauge, value) in state.gauges {
                let empty = MetricFamily<Double>(
                    gauge.family, help: gauge.help, labels: ["policy", policyNameLabel])
                families[gauge, default: empty].add(value, to: labels, by: gauge.sum)
            }
        }
        return families
    }

    /// The media type of ``prometheusText``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Creates metrics that are all zero.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names: letters, digits, underscores and colons, without a digit first.
    ///     Anything else is a programming error and traps.
    ///   - labelLimit: The number of values that a label may have. Further ones become `other`. Less than one is a
    ///     programming error and traps.
    public init(prefix: String = "pledge", labelLimit: Int = 100) {
        precondition(
            prefix.isMetricName,
            "metrics need a prefix of letters, digits, '_' and ':', no digit first, not '\(prefix)'"
        )
        precondition(labelLimit >= 1, "metrics need a labelLimit of 1 or more, not \(labelLimit)")
        self.prefix = prefix
        watchLimit = 8 * labelLimit
        table = Locked(MetricsTable(labelLimit: labelLimit))
    }

    private let prefix: String
    private let table: Locked<MetricsTable>
    private let watchLimit: Int
    private let watched = Locked<[ObjectIdentifier: Watched]>([:])
}

extension String {
    fileprivate var isMetricName: Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return utf8.first.map(isLetter) == true
            && utf8.allSatisfy { isLetter($0) || digits.contains($0) }
    }
}

/// The counters and histograms of events.
struct MetricsTable: Sendable {
    /// The largest number of spans of whole calls that may be open at the same time.
    ///
    /// A further span is counted as "other" when it ends.
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
    /// The names of the calls in flight, kept because the event at a call's end has no name.
    private var open: [SpanKey: String] = [:]
    /// The outermost observed span of each call in flight.
    ///
    /// Its name labels the events of the call's policies.
    private var roots: [UInt64: (span: Int, name: String)] = [:]

    init(labelLimit: Int) {
        names = BoundedLabels(limit: labelLimit)
        policies = BoundedLabels(limit: labelLimit)
        policyNames = BoundedLabels(limit: labelLimit)
        reasons = BoundedLabels(limit: labelLimit)
    }

    mutating func add(_ event: PolicyEvent) {
        let isCall = event.policy == PolicyEvent.callPolicy
        let key = SpanKey(call: event.call, span: event.span)
        switch event.kind {
        case .began(let name):
            if isCall { openSpan(key, named: name) }
        case .ended(let outcome, let latency, _) where isCall:
            endSpan(key, outcome, after: latency)
        case .ended(let outcome, let latency, _):
            attempts[policy(of: event) + [outcome.label], default: PrometheusHistogram()].add(
                latency)
        default:
            let policy = policy(of: event)
            let reason = event.kind.reason
            // An event without a reason doesn't use up one of the label's values.
            let label = reason.isEmpty ? "" : reasons.admit(reason)
            events[policy + [event.kind.word, label], default: 0] += 1
            guard case .dequeued(let wait) = event.kind else { return }
            waits[policy, default: PrometheusHistogram()].add(wait)
        }
    }

    /// Returns the values of the labels that identify the call and the policy.
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

    private mutating func endSpan(
        _ key: SpanKey, _ outcome: Outcome,
        after latency: Duration
    ) {
        let open = open.removeValue(forKey: key)
        if roots[key.call]?.span == key.span { roots[key.call] = nil }
        if let open { inFlight[[open], default: 0] -= 1 }
        let name = open ?? BoundedLabels.other
        calls[[name, outcome.label], default: PrometheusHistogram()].add(latency)
        health[[name, "\(outcome.health)"], default: 0] += 1
    }
}

/// Time series with the same name and different labels.
struct MetricFamily<Value: Sendable>: Sendable {
    /// The name without its prefix.
    let name: String
    let help: String
    let labels: [String]
    /// The series by their labels' values.
    private(set) var series: [[String]: Value] = [:]

    init(_ name: String, help: String, labels: [String]) {
        self.name = name
        self.help = help
        self.labels = labels
    }

    /// The series with these label values, created if it doesn't exist.
    subscript(values: [String], default value: @autoclosure () -> Value) -> Value {
        get { series[values] ?? value() }
        _modify { yield &series[values, default: value()] }
    }

    /// Adds a value to the series with these label values.
    mutating func add(_ value: Value, to values: [String], by sum: (Value, Value) -> Value) {
        series[values] = series[values].map { sum($0, value) } ?? value
    }

    /// The series in the order of their label values, each with its labels.
    ///
    /// The label `policy_name` is left out if the policy's state has no name. The label `call` is left out if the event
    /// comes after the call's end. To Prometheus, a missing label means the same as an empty one.
    var sorted: [(labels: [(name: String, value: String)], value: Value)] {
        series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { values, value in
                let all = zip(labels, values).map { (name: $0, value: $1) }
                return (
                    all.filter { !optionalLabels.contains($0.name) || !$0.value.isEmpty }, value
                )
            }
    }
}

/// The label for the name of a policy's state.
let policyNameLabel = "policy_name"

/// The label for the name of a call.
let callLabel = "call"

private let optionalLabels = [policyNameLabel, callLabel]

/// The number of durations in each range, and their sum.
struct PrometheusHistogram: Sendable {
    /// The upper bound of each range, included in the range.
    ///
    /// The bounds are the defaults of Prometheus' own clients.
    static let bounds: [Duration] = [
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
        .milliseconds(2_500), .seconds(5), .seconds(10),
    ]

    private(set) var sum = Duration.zero
    private(set) var count = 0
    /// The number of durations in each range; the last range has no upper bound.
    private var counts = Array(repeating: 0, count: bounds.count + 1)

    /// Adds a duration, limited to the range from zero to about 292 years.
    mutating func add(_ duration: Duration) {
        let duration = Duration.nanoseconds(max(0, duration.nanoseconds))
        let index = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
        counts[index] += 1
        count += 1
        sum += duration
    }

    /// The bounds, each with the number of durations up to it.
    var cumulative: [(bound: Duration, count: Int)] {
        var total = 0
        return zip(Self.bounds, counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}

/// The values that one label may have: a limited number, and "other" for all later ones.
///
/// Each value makes another time series. That series is kept for good, here and in the system that collects it, so
/// the number of values needs a limit.
struct BoundedLabels: Sendable {
    static let other = "other"
    /// The longest value, in Unicode scalars.
    static let longest = 128

    let limit: Int
    private var known: Set<String> = []

    init(limit: Int) { self.limit = limit }

    /// Returns the value if the label may have it, or else "other".
    mutating func admit(_ value: String) -> String {
        let value = value.cut(to: Self.longest)
        if known.contains(value) { return value }
        guard known.count < limit else { return Self.other }
        known.insert(value)
        return value
    }
}

extension MetricsTable {
    /// Returns the table in Prometheus' text format, version 0.0.4, leaving out families without series.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of each name, before an underscore.
    ///   - gauges: The numbers of watched states.
    func prometheusText(
        prefix: String, gauges: [StateGauge: MetricFamily<Double>] = [:]
    ) -> String {
        var text = PrometheusText(prefix: prefix)
        text.add(calls)
        text.add(health, as: "counter")
        text.add(inFlight, as: "gauge")
        text.add(attempts)
        text.add(waits)
        text.add(events, as: "counter")
        for gauge in StateGauge.allCases { gauges[gauge].map { text.add($0) } }
        return text.text
    }
}

/// A text in Prometheus' format, built family by family.
private struct PrometheusText {
    typealias Labels = [(name: String, value: String)]

    let prefix: String
    private(set) var text = ""

    init(prefix: String) { self.prefix = prefix }

    mutating func add(_ family: MetricFamily<Int>, as type: String) {
        guard writeHeader(family, type) else { return }
        for (labels, value) in family.sorted { add(family.name, labels, "\(value)") }
    }

    mutating func add(_ family: MetricFamily<Double>) {
        guard writeHeader(family, "gauge") else { return }
        for (labels, value) in family.sorted {
            let isWhole = value == value.rounded() && abs(value) < 1e15
            add(family.name, labels, isWhole ? "\(Int64(value))" : "\(value)")
        }
    }

    mutating func add(_ family: MetricFamily<PrometheusHistogram>) {
        guard writeHeader(family, "histogram") else { return }
        for (labels, histogram) in family.sorted {
            for (bound, count) in histogram.cumulative {
                add(
                    "\(family.name)_bucket", labels + [("le", bound.decimal(in: .second))],
                    "\(count)")
            }
            add("\(family.name)_bucket", labels + [("le", "+Inf")], "\(histogram.count)")
            add("\(family.name)_sum", labels, histogram.sum.decimalSeconds)
            add("\(family.name)_count", labels, "\(histogram.count)")
        }
    }

    private mutating func writeHeader<Value>(_ family: MetricFamily<Value>, _ type: String) -> Bool
    {
        if family.series.isEmpty { return false }
        text += "# HELP \(prefix)_\(family.name) \(family.help)\n"
        text += "# TYPE \(prefix)_\(family.name) \(type)\n"
        return true
    }

    private mutating func add(_ name: String, _ labels: Labels, _ value: String) {
        let list = labels.map { "\($0.name)=\"\($0.value.escapedLabel)\"" }.joined(separator: ",")
        text += "\(prefix)_\(name){\(list)} \(value)\n"
    }
}

extension String {
    /// The text as a label's value, with only backslashes, quotes and line feeds escaped.
    ///
    /// It goes scalar by scalar, because Swift treats a carriage return and a line feed as one character.
    fileprivate var escapedLabel: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Duration {
    /// The duration in seconds, even if its nanoseconds exceed 64 bits.
    fileprivate var decimalSeconds: String {
        let (seconds, attoseconds) = components
        let fraction = Duration.nanoseconds(attoseconds / 1_000_000_000).decimal(in: .second)
        return "\(seconds)\(fraction.dropFirst())"
    }
}

extension StateGauge {
    /// The name of the metric family, without the prefix.
    var family: String { "policy_\(rawValue)" }

    var help: String {
        switch self {
        case .inFlight: "Calls in flight in a policy."
        case .queued: "Calls that wait in a policy."
        case .limit: "How many calls a policy lets be in flight."
        case .balance: "How many retries a budget allows now."
        case .state: "The state of a breaker: 0 closed, 1 half-open, 2 open, 3 isolated."
        case .probability: "The share of calls that a throttle refuses now."
        }
    }

    /// Combines the numbers of two states with the same name.
    func sum(_ first: Double, _ second: Double) -> Double {
        switch self {
        case .inFlight, .queued, .limit, .balance: first + second
        case .state, .probability: max(first, second)
        }
    }
}

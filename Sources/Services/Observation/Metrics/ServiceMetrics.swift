import PledgeFutures

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
/// Histograms have the bounds 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5 and 10 seconds, the
/// defaults of Prometheus' own clients. Outcomes are `success`, `retryable`, `failure` and `ignorable`, as the
/// caller sees them: a rejection by a healthy service is a failure.
///
/// The label `policy_name` is the name of a policy's state, such as ``CircuitBreaker/name``, and is present
/// if the state has one; in a client that makes a state for each origin, it is the origin. An event after the end of its call
/// has no label `call`. Each value of a label makes time series that stay. So a call's name should state the
/// kind of call, not the loaded product. After a limited number of values of a label, further ones are
/// counted as `other`. Values are cut after 128 Unicode scalars.
///
/// It may be used from any thread. An event takes a lock for constant time; the memory is bounded by the
/// values of labels and, at most 65,536, the calls in flight.
public final class ServiceMetrics {
    /// The observer that counts events.
    ///
    /// Use it once for a call; otherwise each event counts twice.
    public var observer: ServiceObserver {
        ServiceObserver { event in self.table.withLock { $0.add(event) } }
    }

    /// All series, in Prometheus' text format, version 0.0.4; empty if nothing was counted yet.
    ///
    /// It is the answer to a scrape, together with ``contentType``. The order is the same each time. It takes
    /// time in proportion to the number of series; events wait at most for the copying in it.
    public var prometheusText: String {
        let table = table.withLock { $0 }
        return table.prometheusText(prefix: prefix, gauges: gauges)
    }

    /// Shows the numbers of a state from now on: of a breaker, a bulkhead, a budget, a limiter.
    ///
    /// ```swift
    /// metrics.watch(breaker)
    /// ```
    ///
    /// The state is not kept: its numbers are shown as long as something else has it. Numbers of states with the same name
    /// are added; of breakers and throttles, the largest counts. A client with these metrics has its own states watched.
    /// After a limited number of states, as of values of a label, further ones are not shown.
    public func watch(_ state: some GaugedState) {
        watched.withLock { watched in
            if watched.count >= watchLimit { watched = watched.filter { $0.value.state != nil } }
            guard watched.count < watchLimit else { return }
            watched[ObjectIdentifier(state)] = Watched(state: state)
        }
    }

    private struct Watched {
        weak var state: (any GaugedState)?
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

    /// Makes metrics that are all zero.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names: letters, digits, underscores and colons, without a digit
    ///     first. Anything else is a programming error and traps.
    ///   - labelLimit: How many values a label may have before the next ones are `other`. Less than
    ///     one is a programming error and traps.
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

extension ServiceMetrics: Sendable {}

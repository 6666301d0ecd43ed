import PledgeFutures

extension MetricsTable {
    /// The table in Prometheus' text format, version 0.0.4; families without series are left out.
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

/// A text in Prometheus' format that grows by families.
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
    /// The value of a label: backslashes, quotes and line feeds are escaped, and nothing else.
    ///
    /// Scalar by scalar: Swift treats a carriage return and a line feed as one character.
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
    /// The seconds of a sum, which may exceed 64 bits of nanoseconds.
    fileprivate var decimalSeconds: String {
        let (seconds, attoseconds) = components
        let fraction = Duration.nanoseconds(attoseconds / 1_000_000_000).decimal(in: .second)
        return "\(seconds)\(fraction.dropFirst())"
    }
}

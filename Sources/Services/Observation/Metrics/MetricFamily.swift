/// Time series of one name that differ in their labels.
struct MetricFamily<Value: Sendable>: Sendable {
    /// The name without its prefix.
    let name: String
    let help: String
    /// The labels' names.
    let labels: [String]
    /// The series by their labels' values.
    private(set) var series: [[String]: Value] = [:]

    init(_ name: String, help: String, labels: [String]) {
        self.name = name
        self.help = help
        self.labels = labels
    }

    /// The series with these values of the labels, made if there is none.
    subscript(values: [String], default value: @autoclosure () -> Value) -> Value {
        get { series[values] ?? value() }
        _modify { yield &series[values, default: value()] }
    }

    /// Adds a value to the series with these values of the labels.
    mutating func add(_ value: Value, to values: [String], by sum: (Value, Value) -> Value) {
        series[values] = series[values].map { sum($0, value) } ?? value
    }

    /// The series in the order of their values, each with its labels.
    ///
    /// A policy without a name has no label for it, which means the same to Prometheus as an empty one; so has an event without
    /// a call.
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

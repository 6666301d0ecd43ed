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

    /// The series in the order of their values, each with its labels.
    var sorted: [(labels: [(name: String, value: String)], value: Value)] {
        series.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { values, value in (zip(labels, values).map { ($0, $1) }, value) }
    }
}

import PledgeServices
import PledgeSimulation

/// A breaker around calls to five hosts that fail at random, so that a failure says nothing about the next call.
enum BreakerChart {
    private static let percentages = [0, 2, 5, 10, 15, 20, 25, 30, 40, 50]

    private static let values: [JudgedDefault.Value] = [
        .init("no breaker") { $0.breaker(nil) },
        .init("defaults: 10 in a row for 0.5 s, share 0.5") {
            $0.breaker(CircuitBreaker(on: $0.scheduler, random: $0.random))
        },
        .init("5 in a row, share 0.5") {
            $0.breaker(
                CircuitBreaker(
                    failuresInARow: 5, lasting: .zero, on: $0.scheduler, random: $0.random))
        },
        .init("5 in a row, share 0.8") {
            $0.breaker(
                CircuitBreaker(
                    failuresInARow: 5, lasting: .zero, successRate: 0.8, on: $0.scheduler,
                    random: $0.random))
        },
    ]

    /// Draws the goodput over the share of calls that the hosts fail.
    static func chart(_ settings: ScenarioSettings) -> Chart {
        let lines = Chart.lines(of: values, over: percentages, settings) { percentage in
            (.errors(percentage), Double(percentage) / 100, \.goodput)
        }
        return Chart(
            title: "Goodput by the share of calls that fail, for four breakers",
            description: """
                The share of calls that succeed, over the share that each host fails, with the default retry outside.
                """,
            x: Chart.Axis(
                name: "calls that fail",
                marks: [0, 10, 20, 30, 40, 50].map { (Double($0) / 100, "\($0) %") }),
            y: .shares("goodput"), lines: lines)
    }
}

import PledgeServices
import PledgeSimulation
import PledgeTraffic

/// A fleet under up to twice the load that it can handle, with different policies in its client.
enum AdmissionChart {
    private static let values: [JudgedDefault.Value] = [
        .init("none") { $0.retry() },
        .init("throttle") {
            $0.throttle(AdaptiveThrottle(on: $0.scheduler, random: $0.random))
        },
        .init("load shedder") { $0.shedder(LoadShedder(on: $0.scheduler)) },
        .init("adaptive limit") {
            $0.adaptive(AdaptiveConcurrency(on: $0.scheduler, random: $0.random))
        },
    ]

    private static let loads = [0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2]

    /// Draws the successful calls, as a share of the hosts' capacity, over the load.
    static func chart(_ settings: ScenarioSettings) -> Chart {
        let lines = Chart.lines(of: values, over: loads, settings) { load in
            (.load(load), load, { $0.goodput * load })
        }
        return Chart(
            title: "Calls that succeed in overload, by the policy of the client",
            description: """
                Calls that succeed, as a part of what the hosts can do, over the calls that are made.
                """,
            x: Chart.Axis(
                name: "calls for each that the hosts can do",
                marks: [0.5, 1, 1.5, 2].map { ($0, "\($0)") }),
            y: .shares("calls that succeed"), lines: lines)
    }
}

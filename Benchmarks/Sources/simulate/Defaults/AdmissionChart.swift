import PledgeServices
import PledgeSimulation

/// What a fleet does under loads up to twice what it can do, by the policy of its client.
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

    /// The calls that succeed, as a part of what the hosts can do, over the load.
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

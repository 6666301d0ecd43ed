import PledgeServices
import PledgeSimulation

/// The settings for running a named scenario.
struct ScenarioSettings: Sendable {
    /// The seed of all random choices.
    var seed: UInt64 = 1
    /// The number of hosts; nil for the scenario's own number.
    var hosts: Int?
    /// The client's policies; nil for the scenario's own.
    var policies: PolicyStack?
    /// True to make fewer calls.
    var isShort = false
    /// Shows the progress.
    var progress = Progress(isShown: false)
}

extension ScenarioSettings {
    /// Returns the first value in the whole form, and the second in the short form.
    func choose<Value>(_ whole: Value, short: Value) -> Value { isShort ? short : whole }

    /// Runs a scenario with the seed, and shows the progress.
    func run<Output: Sendable>(
        _ scenario: Scenario,
        _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) -> SimulationRun {
        defer { progress.endRun() }
        return scenario.run(seed: seed) { world in
            progress.follow(world.scheduler, for: scenario.duration)
            return makeService(world)
        }
    }
}

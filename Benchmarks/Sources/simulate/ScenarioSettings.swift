import PledgeServices
import PledgeSimulation

/// What a named scenario is run with.
struct ScenarioSettings: Sendable {
    /// What all chance depends on.
    var seed: UInt64 = 1
    /// How many hosts there are; nil: as many as the scenario has by itself.
    var hosts: Int?
    /// The client's policies; nil: those that the scenario has by itself.
    var policies: PolicyStack?
    /// Whether fewer calls are made.
    var isShort = false
    /// Where it shows how far it is.
    var progress = Progress(isShown: false)
}

extension ScenarioSettings {
    /// One of two values: that of the whole form, or that of the short one.
    func choose<Value>(_ whole: Value, short: Value) -> Value { isShort ? short : whole }

    /// Runs a scenario with the seed, and shows its progress.
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

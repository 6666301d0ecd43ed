/// A seed that fails, and the least case of it.
public struct SwarmFailure: Sendable {
    /// A scenario in which it fails.
    public struct Case: Sendable {
        /// What was run, with the faults that the seed has drawn.
        public let scenario: Scenario

        /// What happened.
        public let run: SimulationRun

        /// What failed, as the expectation says.
        public let text: String
    }

    /// The seed, of both cases.
    public let seed: UInt64

    /// The case as it was found.
    public let found: Case

    /// The least case that still fails; that which was found, if nothing smaller fails.
    public let least: Case

    /// How many runs the shrinking took.
    public let shrinkRunCount: Int

    /// Whether a second run of the seed failed as the first did.
    ///
    /// If not, the stack depends on something beside the simulation: the system's clock or chance, a thread, an object
    /// that several runs share. Nothing is made smaller then.
    public let isReproducible: Bool
}

extension SwarmFailure: CustomStringConvertible {
    /// The report: the seed, what fails, and the least case.
    public var description: String {
        let lines = ["seed \(seed) fails: \(found.text)"]
        guard isReproducible else {
            let cause = "the stack depends on more than the world that it is made in"
            return (lines + ["a second run of the seed did not fail so: \(cause)"])
                .joined(separator: "\n")
        }
        return
            (lines + leastCase + ["to run it again: the same swarm with seeds \(seed)...\(seed)"])
            .joined(separator: "\n")
    }

    private var leastCase: [String] {
        let (scenario, whole) = (least.scenario, found.scenario)
        let faults = scenario.faults.map { "    \($0)" }
        let times = "\(scenario.duration.inSeconds) of \(whole.duration.inSeconds)"
        return [
            "smallest failing case, after \(shrinkRunCount) runs: \(least.text)",
            "  hosts: \(scenario.hosts.count) of \(whole.hosts.count)",
            "  time: \(times)",
            "  calls: \(least.run.callCount) of \(found.run.callCount)\(arrivals)",
            "  faults: \(scenario.faults.count) of \(whole.faults.count)",
        ] + faults
    }

    /// When the calls are made, if they are few and their times are recorded.
    private var arrivals: String {
        guard case .recorded(let times) = least.scenario.arrivals.kind,
            (1...10).contains(times.count)
        else { return "" }
        let texts = times.map { Duration.nanoseconds($0).inSeconds }
        return ", at " + texts.joined(separator: ", ")
    }
}

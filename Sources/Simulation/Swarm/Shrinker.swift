/// Makes a scenario that fails smaller, as long as it fails in the same way with the same seed.
///
/// Deterministic: the order of the tries depends on the scenario alone.
final class Shrinker {
    /// The least scenario so far.
    private(set) var least: Scenario
    /// What fails in it.
    private(set) var text: String
    private(set) var run: SimulationRun
    /// How many runs were made.
    private(set) var runCount = 0

    private let shrinking: Shrinking
    private let kind: String
    private let judge: (Scenario) -> (SimulationRun, text: String?)
    /// The indexes that the faults of ``least`` had at first.
    private(set) var origins: [Int]
    let named: NamedHosts

    /// - Parameters:
    ///   - named: The hosts that are named in a run of the scenario.
    ///   - judge: Runs a scenario, and says what fails in it.
    init(
        _ scenario: Scenario, _ run: SimulationRun, failingWith text: String, _ named: NamedHosts,
        _ shrinking: Shrinking, _ judge: @escaping (Scenario) -> (SimulationRun, text: String?)
    ) {
        least = scenario
        self.run = run
        self.text = text
        self.shrinking = shrinking
        self.judge = judge
        self.named = named
        kind = text.withoutNumbers
        origins = Array(scenario.faults.indices)
    }

    /// Tries, part by part, until a round changes nothing or no run is left.
    func shrink() {
        let steps: [(Shrinking.Part, () -> Bool)] = [
            (.faults, removeFaults), (.hosts, removeHosts), (.faultTimes, shortenFaults),
            (.faultTimes, moveFaults), (.duration, shortenRun), (.arrivals, lowerArrivals),
            (.calls, removeCalls), (.calls, skipQuietTime), (.calls, roundCalls),
        ]
        var hasChanged = true
        while hasChanged, runCount < shrinking.maxRuns {
            hasChanged = false
            for (part, step) in steps where shrinking.parts.contains(part) {
                if step() { hasChanged = true }
            }
        }
    }

    /// Runs a scenario, which is the least one from now on if it fails in the same way.
    func fails(_ scenario: Scenario, _ origins: [Int]? = nil) -> Bool {
        guard runCount < shrinking.maxRuns else { return false }
        runCount += 1
        let (run, text) = judge(scenario)
        guard let text, text.withoutNumbers == kind else { return false }
        (least, self.run, self.text) = (scenario, run, text)
        if let origins { self.origins = origins }
        return true
    }
}

extension String {
    /// What stays the same if only amounts change.
    fileprivate var withoutNumbers: String {
        filter { !$0.isNumber && !".,-−+".contains($0) }
    }
}

public import PledgeServices

extension Scenario {
    /// Runs the scenario with many seeds until one fails, and makes the failing case smaller.
    ///
    /// ```swift
    /// let result = scenario.swarm(seeds: 1...1_000, adding: RandomFaults()) { world in
    ///     stack(.retry(on: world.scheduler, random: world.random), over: world.fleet.send)
    /// } expecting: { run in
    ///     run.amplification < 1.3 ? nil : "amplification is \(run.amplification)"
    /// }
    /// #expect(result.failure == nil)
    /// ```
    ///
    /// The swarm removes faults and hosts, shortens faults and the run, and lowers the arrivals, as long as the seed
    /// still fails with the same text. Numbers in the text may differ. Unless the limit of runs was reached, the result
    /// needs each of its faults: without any one of them, it wouldn't fail. Still smaller cases may exist.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, in ascending order.
    ///   - random: The faults that each seed draws, in addition to the scenario's own; nil for none.
    ///   - count: The number of failing seeds after which the swarm stops. Only the first case is made smaller. Less
    ///     than 1 traps.
    ///   - makeService: Creates the client's stack, as in `run(seed:_:)`. It is called once per run. If the stacks of
    ///     several runs share objects, each run depends on the runs before it.
    ///   - expectation: Returns the failure of a run, or nil. A thrown error is a failure with the error's text. The
    ///     closure also gets the runs of the smaller cases, with fewer hosts or a shorter time, and perhaps without any
    ///     call. In these runs, faults may end earlier; ``SimulationRun/recovers(within:after:to:)`` uses the end of
    ///     the run's own last fault. If work has left the simulation, the run counts as failed, and this closure isn't
    ///     called. A run with another ``SimulationRun/error`` fails even if this closure returns nil.
    /// - Returns: The findings. The same arguments give the same result. The runs take place one after another on the
    ///   calling thread, with at most 501 further runs for the shrinking.
    public func swarm<Output: Sendable>(
        seeds: ClosedRange<UInt64>, adding random: RandomFaults? = nil, stopAfter count: Int = 1,
        _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>,
        expecting expectation: (SimulationRun) throws -> String?
    ) -> SwarmResult {
        swarm(
            seeds: seeds, adding: random, stopAfter: count, shrinking: Shrinking(), makeService,
            expecting: expectation)
    }

    /// The same, with the parts to make smaller and the maximum number of runs for it.
    package func swarm<Output: Sendable>(
        seeds: ClosedRange<UInt64>, adding random: RandomFaults? = nil, stopAfter count: Int = 1,
        shrinking: Shrinking, _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>,
        expecting expectation: (SimulationRun) throws -> String?
    ) -> SwarmResult {
        precondition(count >= 1, "a swarm stops after a failure or more, not \(count)")
        return withoutActuallyEscaping(makeService) { makeService in
            withoutActuallyEscaping(expectation) { expectation in
                let swarm = Swarm(makeService, expecting: expectation)
                return swarm.result(of: self, seeds, random, stopAfter: count, shrinking)
            }
        }
    }

    /// The scenario with its own faults and those that a seed draws.
    fileprivate func adding(_ random: RandomFaults?, for seed: UInt64) -> Scenario {
        var scenario = self
        scenario.faults += random?.faults(for: seed, in: self) ?? []
        return scenario
    }
}

private struct Swarm<Output: Sendable> {
    let makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
    let expectation: (SimulationRun) throws -> String?

    init(
        _ makeService: @escaping (SimulatedWorld) -> Service<SimulatedRequest, Output>,
        expecting expectation: @escaping (SimulationRun) throws -> String?
    ) {
        self.makeService = makeService
        self.expectation = expectation
    }

    func result(
        of scenario: Scenario, _ seeds: ClosedRange<UInt64>, _ random: RandomFaults?,
        stopAfter count: Int, _ shrinking: Shrinking
    ) -> SwarmResult {
        var (runCount, failing) = (0, [UInt64]())
        var first: SwarmFailure?
        for seed in seeds {
            let whole = scenario.adding(random, for: seed)
            let (run, text) = judged(whole, seed)
            runCount += 1
            guard let text else { continue }
            failing.append(seed)
            if first == nil { first = failure(of: whole, run, text, shrinking) }
            if failing.count == count { break }
        }
        return SwarmResult(runCount: runCount, failingSeeds: failing, failure: first)
    }

    private func judged(
        _ scenario: Scenario, _ seed: UInt64, _ named: NamedHosts? = nil
    ) -> (SimulationRun, text: String?) {
        let run = scenario.run(seed: seed, noting: named, makeService)
        if run.escapedActions > 0, let error = run.error {
            return (run, "work left the simulation, \(run.escapedActions) times: \(error)")
        }
        do {
            let text = try expectation(run)
            return (run, text ?? run.error.map { "\($0)" })
        } catch {
            return (run, "\(error)")
        }
    }

    /// Makes a failing case smaller.
    ///
    /// First runs the seed again, to see whether it fails again, and to note the hosts to which a stack or a fault's
    /// closure refers by number.
    private func failure(
        of scenario: Scenario, _ run: SimulationRun, _ text: String, _ shrinking: Shrinking
    ) -> SwarmFailure {
        let (seed, named) = (run.seed, NamedHosts())
        let isReproducible = judged(scenario, seed, named).text == text
        let shrinker = Shrinker(scenario, run, failingWith: text, named, shrinking) {
            judged($0, seed)
        }
        if isReproducible, run.escapedActions == 0 { shrinker.shrink() }
        return SwarmFailure(
            seed: seed, found: .init(scenario: scenario, run: run, text: text),
            least: .init(scenario: shrinker.least, run: shrinker.run, text: shrinker.text),
            shrinkRunCount: shrinker.runCount, isReproducible: isReproducible)
    }
}

/// The findings of a swarm of runs.
public struct SwarmResult: Sendable {
    /// The number of seeds that were run.
    ///
    /// The runs for the shrinking aren't counted.
    public let runCount: Int

    /// The seeds that failed, in ascending order.
    package let failingSeeds: [UInt64]

    /// The first failing seed, with its smallest case; nil if no seed failed.
    public let failure: SwarmFailure?
}

extension SwarmResult: CustomStringConvertible {
    /// The number of failing seeds, and the report on the first.
    public var description: String {
        let seeds = "\(failingSeeds.count) of \(runCount) seeds fail"
        return failure.map { "\(seeds)\n\($0)" } ?? seeds
    }
}

/// A seed that fails, and the smallest case found for it.
public struct SwarmFailure: Sendable {
    /// A scenario that fails with the seed.
    public struct Case: Sendable {
        /// The scenario, including the faults that the seed drew.
        public let scenario: Scenario

        /// The results of its run.
        public let run: SimulationRun

        /// The failure, as the expectation returned it.
        public let text: String
    }

    /// The seed of both cases.
    public let seed: UInt64

    /// The case as it was found.
    public let found: Case

    /// The smallest case that still fails.
    ///
    /// It equals ``found`` if nothing smaller fails.
    public let least: Case

    /// The number of runs that the shrinking took.
    package let shrinkRunCount: Int

    /// True if a second run of the seed failed as the first did.
    ///
    /// If false, the stack depends on something outside the simulation: the system's clock or randomness, a thread, or
    /// an object that several runs share. The case is then not made smaller.
    package let isReproducible: Bool
}

extension SwarmFailure: CustomStringConvertible {
    /// The report: the seed, the failure, and the smallest case.
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

    /// The times of the calls, if they are few and recorded.
    private var arrivals: String {
        guard case .recorded(let times) = least.scenario.arrivals.kind,
            (1...10).contains(times.count)
        else { return "" }
        let texts = times.map { Duration.nanoseconds($0).inSeconds }
        return ", at " + texts.joined(separator: ", ")
    }
}

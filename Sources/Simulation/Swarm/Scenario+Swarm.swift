public import PledgeServices

extension Scenario {
    /// Runs it with many seeds until one fails, and makes what fails smaller.
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
    /// The least case is found by removing faults and hosts, by shortening faults and the run, and by lowering the
    /// arrivals, each as long as the seed still fails with the same text; numbers in the text may differ. It is a case
    /// from which no single fault can be removed, unless the limit of runs was reached; other cases may be smaller.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, in ascending order.
    ///   - random: The faults that each seed draws, beside those of the scenario; nil for none.
    ///   - count: After how many failing seeds it stops. The first is made smaller. Less than 1 traps.
    ///   - shrinking: What is made smaller.
    ///   - makeService: Makes the client's stack, as in `run(seed:_:)`; called once for each run. Objects that several
    ///     runs share make a run depend on those before it.
    ///   - expectation: Returns what fails in a run, or nil. An error that it throws is a failure with the error's
    ///     text. It is called with smaller runs as well: with fewer hosts, shorter, perhaps without a call.
    ///     ``SimulationRun/recovers(within:after:to:)`` by itself finds the end of the last fault. A run in which work
    ///     has left the simulation fails before it, and one with another ``SimulationRun/error`` after it.
    /// - Returns: What was found. The same arguments give the same result. It takes the time of all runs, one after the
    ///   other on the calling thread, and at most ``Shrinking/maxRuns`` + 1 further ones.
    public func swarm<Output: Sendable>(
        seeds: ClosedRange<UInt64>, adding random: RandomFaults? = nil, stopAfter count: Int = 1,
        shrinking: Shrinking = Shrinking(),
        _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>,
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

    /// The scenario with the faults that a seed draws.
    fileprivate func adding(_ random: RandomFaults?, for seed: UInt64) -> Scenario {
        var scenario = self
        scenario.faults += random?.faults(for: seed, in: self) ?? []
        return scenario
    }
}

/// A stack, and what is expected of it.
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

    /// Runs the seed once more, to see which hosts code names and whether it fails again, and makes it smaller.
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

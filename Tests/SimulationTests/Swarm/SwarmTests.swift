import PledgeFutures
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct SwarmTests {
    /// Six hosts that answer in 10 ms.
    private let scenario = Scenario(
        hosts: 6, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
        arrivals: .poisson(rate: 30), duration: .seconds(5))

    private func failsWithout(_ run: SimulationRun) -> String? {
        let failed = run.failures.reduce(0) { $0 + $1.count }
        return failed == 0 ? nil : "calls that failed: \(failed)"
    }

    @Test func aSwarmWithoutAFailureRunsAllSeeds() {
        let result = scenario.swarm(seeds: 1...20) {
            $0.fleet.send
        } expecting: {
            failsWithout($0)
        }
        #expect(result.runCount == 20 && result.failingSeeds.isEmpty && result.failure == nil)
        #expect(result.description == "0 of 20 seeds fail")
    }

    @Test func theReportHasTheSeedAndTheLeastCase() throws {
        var random = RandomFaults()
        random.kinds = [.stop, .slow]
        let result = scenario.swarm(seeds: 1...100, adding: random) {
            $0.fleet.send
        } expecting: {
            failsWithout($0)
        }
        let failure = try #require(result.failure)
        #expect(
            failure.description == """
                seed 3 fails: calls that failed: 4
                smallest failing case, after 38 runs: calls that failed: 1
                  hosts: 1 of 6
                  time: 0.01 s of 5 s
                  calls: 1 of 146, at 0.006 s
                  faults: 1 of 2
                    0 s to 0.01 s: host 0 is down
                to run it again: the same swarm with seeds 3...3
                """)
        #expect(result.failingSeeds == [failure.seed])
        #expect(result.description == "1 of \(result.runCount) seeds fail\n\(failure)")
        let (least, found) = (failure.least, failure.found)
        #expect(least.scenario.hosts.count == 1 && least.scenario.faults.count == 1)
        #expect(least.run.callCount == 1)
        // Each case is as it was run.
        for found in [least, found] {
            let run = found.scenario.run(seed: failure.seed) { $0.fleet.send }
            #expect(failsWithout(run) == found.text)
        }
        let again = scenario.swarm(
            seeds: failure.seed...failure.seed, adding: random, { $0.fleet.send }
        ) { failsWithout($0) }
        #expect(again.failure?.description == failure.description)
    }

    @Test func itStopsAfterTheWantedNumberOfFailures() {
        let result = scenario.swarm(seeds: 5...100, stopAfter: 3, shrinking: .none) {
            $0.fleet.send
        } expecting: {
            $0.seed % 10 == 0 ? "ends in 0" : nil
        }
        #expect(result.failingSeeds == [10, 20, 30] && result.runCount == 26)
        #expect(result.failure?.seed == 10 && result.failure?.shrinkRunCount == 0)
    }

    @Test func hostsThatCodeNamesStay() throws {
        var scenario = scenario
        scenario.at(.seconds(1)) { $0.host(2).stop() }
        scenario.at(.seconds(2)) { $0.host(5).slow(by: 2) }
        let result = scenario.swarm(seeds: 1...1) {
            $0.fleet.send
        } expecting: {
            failsWithout($0)
        }
        let least = try #require(result.failure).least.scenario
        // Those of the fault that was removed may go.
        #expect(least.hosts.count == 3 && least.faults.count == 1)

        let named = scenario.swarm(seeds: 1...1) { world in
            { call in
                world.fleet.send(SimulatedRequest(number: call.number, host: 2 + call.number % 2))
            }
        } expecting: {
            failsWithout($0)
        }
        #expect(try #require(named.failure).least.scenario.hosts.count == 4)

        let all = scenario.swarm(seeds: 1...1) { world in
            let count = world.fleet.hosts.count
            return { call in
                world.fleet.send(SimulatedRequest(number: 0, host: call.number % count))
            }
        } expecting: {
            failsWithout($0)
        }
        #expect(try #require(all.failure).least.scenario.hosts.count == 6)
    }

    @Test func theLeastCaseFailsInTheSameWay() throws {
        var scenario = scenario
        scenario.add(.stop(host: 1, from: .seconds(1), to: .seconds(2)))
        scenario.add(.failures(host: 2, rate: 1, from: .seconds(3), to: .seconds(4)))
        // A case with the second fault alone fails as well, with another text.
        let result = scenario.swarm(seeds: 1...1) {
            $0.fleet.send
        } expecting: { run in
            run.failures.map(\.kind).sorted { $0 > $1 }.first.map { "there is \($0)" }
        }
        let failure = try #require(result.failure)
        #expect(failure.least.text == failure.found.text)
        #expect(failure.least.scenario.faults.map(\.hosts) == [[0]])
        #expect(failure.least.run.failures.map(\.kind) == ["SimulatedFailure.unreachable"])
    }

    @Test func theLimitOfRunsHolds() throws {
        var shrinking = Shrinking()
        shrinking.maxRuns = 7
        let count = Locked(0)
        let result = scenario.swarm(seeds: 1...1, shrinking: shrinking) { world in
            count.withLock { $0 += 1 }
            return world.fleet.send
        } expecting: { _ in
            "always"
        }
        #expect(try #require(result.failure).shrinkRunCount == 7)
        #expect(count.withLock { $0 } == 9)
    }

    @Test func aCaseThatAlwaysFailsIsShrunkToAnEnd() throws {
        for arrivals in [
            Arrivals.poisson(rate: 30), .even(rate: 30),
            .closed(clients: 5, thinkTime: .constant(.seconds(1))),
            .recorded([.seconds(1), .seconds(2), .seconds(3)]),
        ] {
            var scenario = scenario
            scenario.arrivals = arrivals
            let result = scenario.swarm(seeds: 1...1, adding: RandomFaults()) {
                $0.fleet.send
            } expecting: { _ in
                "always"
            }
            let failure = try #require(result.failure)
            #expect(failure.shrinkRunCount < 100)
            #expect(failure.least.scenario.hosts.count == 1 && failure.least.run.callCount == 0)
            #expect(failure.least.scenario.faults.isEmpty)
        }
    }

    @Test func onlyTheWantedPartsAreMadeSmaller() throws {
        var shrinking = Shrinking()
        shrinking.parts = [.hosts]
        let result = scenario.swarm(
            seeds: 1...1, adding: RandomFaults(), shrinking: shrinking, { $0.fleet.send }
        ) { _ in "always" }
        let failure = try #require(result.failure)
        let (least, found) = (failure.least.scenario, failure.found.scenario)
        #expect(least.faults.count == found.faults.count && least.duration == found.duration)
        #expect(least.hosts.count == Set(found.faults.flatMap(\.hosts)).count)
    }

    @Test func anErrorOfTheExpectationIsAFailure() throws {
        let result = scenario.swarm(seeds: 1...1, shrinking: .none) {
            $0.fleet.send
        } expecting: { _ in
            throw ServiceError(.timedOut, policy: "expectation")
        }
        #expect(try #require(result.failure).found.text.contains("expectation"))
    }

    @Test func aStackThatDependsOnMoreThanItsWorldIsReported() throws {
        let runs = Locked(0)
        let result = scenario.swarm(seeds: 1...5) { world in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            return { call in
                isFirst ? Future(error: CancellationError()) : world.fleet.send(call)
            }
        } expecting: {
            failsWithout($0)
        }
        let failure = try #require(result.failure)
        #expect(!failure.isReproducible && failure.shrinkRunCount == 0)
        #expect(failure.description.contains("a second run of the seed"))
    }

    @Test func workThatLeavesTheSimulationFails() throws {
        let result = scenario.swarm(seeds: 1...5) { world in
            { request in
                onThreads(1) { _ in world.scheduler.schedule(after: .zero) {} }
                return world.fleet.send(request)
            }
        } expecting: { _ in
            nil
        }
        let failure = try #require(result.failure)
        #expect(failure.found.text.hasPrefix("work left the simulation"))
        #expect(result.runCount == 1 && failure.shrinkRunCount == 0)
    }
}

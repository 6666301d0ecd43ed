import PledgeFutures
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct ScenarioTests {
    private let host = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))

    private func busyScenario() -> Scenario {
        var host = host
        host.workers = 2
        host.queueLimit = 50
        host.latency = .logNormal(median: .milliseconds(1), sigma: 0.5)
        host.failureRate = 0.01
        host.warmUp = (.seconds(5), 4)
        var scenario = Scenario(
            hosts: 5, each: host, arrivals: .poisson([(.seconds(4), 200), (.seconds(12), 300)]),
            duration: .seconds(12))
        scenario.balancing = .fewerCallsOfTwo
        scenario.at(.seconds(5)) { $0.host(1).slow(by: 5) }
        scenario.at(.seconds(6)) { $0.host(2).restart(after: .seconds(3)) }
        scenario.at(.seconds(8)) { $0.host(3).pause(for: .seconds(1)) }
        return scenario
    }

    /// Each line of a run: when which call ended, and how.
    private func text(of run: SimulationRun) -> String {
        "\(run.callCount) \(run.eventCount) \(run.goodput) \(run.amplification) \(run.failures) "
            + [50, 90, 99, 100].map { "\(run.latency($0) ?? 0)" }.joined(separator: " ")
            + " \(run.hosts)"
    }

    private func stacked(_ world: SimulatedWorld) -> Service<SimulatedRequest, SimulatedResponse> {
        stack(
            .deadline(.seconds(2), on: world.scheduler),
            .retry(on: world.scheduler, random: world.random),
            .hedge(sharing: Hedge(after: .milliseconds(200), on: world.scheduler)),
            .timeout(.milliseconds(500), on: world.scheduler),
            over: world.fleet.send)
    }

    @Test func aSeedGivesTheSameRun() {
        let first = text(of: busyScenario().run(seed: 7, stacked))
        #expect(first == text(of: busyScenario().run(seed: 7, stacked)))
        #expect(first != text(of: busyScenario().run(seed: 8, stacked)))
    }

    @Test func aRunOnABusyMachineIsTheSame() async {
        let alone = text(of: busyScenario().run(seed: 7, stacked))
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<3 { group.addTask { text(of: busyScenario().run(seed: 7, stacked)) } }
            for await found in group { #expect(found == alone) }
        }
    }

    /// What a run has made is released with it, though calls wait for each other when it ends.
    @Test func aRunLeavesNothingBehind() {
        var host = HostSettings(serviceTime: .constant(.seconds(50)))
        host.lossRate = 0.3
        host.calls { world in
            let service = stack(.retry(on: world.scheduler), over: world.fleet.send)
            return { call in service(SimulatedRequest(number: call.number, host: 0)) }
        }
        var scenario = Scenario(
            hosts: 3, each: host, arrivals: .even(rate: 2), duration: .seconds(60))
        scenario.drainTime = .seconds(1)
        weak var scheduler: SimulationScheduler?
        weak var fleet: Fleet?
        let run = scenario.run { world in
            (scheduler, fleet) = (world.scheduler, world.fleet)
            return stacked(world)
        }
        #expect(run.callCount == 119 && run.goodput == 0)
        #expect(scheduler == nil && fleet == nil)
    }

    @Test func everyCallEnds() {
        let run = busyScenario().run(stacked)
        #expect(run.unfinishedCalls == 0 && run.escapedActions == 0)
        #expect(run.goodput > 0.8 && run.goodput < 1)
        #expect(run.amplification > 1.01)
        let failed = run.failures.reduce(0) { $0 + $1.count }
        #expect(abs(Double(run.callCount - failed) / Double(run.callCount) - run.goodput) < 1e-12)
    }

    @Test func evenArrivalsComeAtTheirTimes() {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .even(rate: 10), duration: .seconds(10))
        let run = scenario.run { $0.fleet.send }
        // At 0.1, 0.2, …, 9.9 s.
        #expect(run.callCount == 99)
        #expect(run.latency(0) == 0.001 && run.latency(100) == 0.001)
        #expect(run.offered(in: 0.05...0.15) == 1)
    }

    @Test func recordedArrivalsComeAtTheirTimes() {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.seconds(1)))],
            arrivals: .recorded([.zero, .seconds(1), .seconds(1), .seconds(9)]),
            duration: .seconds(5))
        let run = scenario.run { $0.fleet.send }
        #expect(run.callCount == 3)
        #expect(run.latency(100) == 2)
    }

    @Test func theRateOfAPoissonProcessChanges() {
        let scenario = Scenario(
            hosts: 1, each: HostSettings(serviceTime: .constant(.zero)),
            arrivals: .poisson([(.seconds(100), 100), (.seconds(200), 0), (.seconds(300), 300)]),
            duration: .seconds(400))
        let run = scenario.run { $0.fleet.send }
        #expect(abs(Double(run.offered(in: 0...100)) / 10_000 - 1) < 0.03)
        #expect(run.offered(in: 100...200) == 0)
        #expect(abs(Double(run.offered(in: 200...300)) / 30_000 - 1) < 0.03)
        #expect(run.offered(in: 300...400) == 0)
    }

    @Test func aClosedLoopHasAsManyCallsAsItHasClients() {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(100)))],
            arrivals: .closed(clients: 5, thinkTime: .constant(.milliseconds(500))),
            duration: .seconds(100))
        let run = scenario.run { $0.fleet.send }
        // One worker does ten a second; five clients who think for half a second ask for no more than that.
        #expect(abs(Double(run.callCount) / 100 - 1_000 / 120) < 0.2)
        #expect(run.hosts[0].meanCalls < 5)
    }

    @Test func workThatLeavesTheSimulationIsReported() {
        let scenario = Scenario(hosts: [host], arrivals: .even(rate: 10), duration: .seconds(1))
        let hasRun = Locked(false)
        let run = scenario.run { world in
            { request in
                onThreads(1) { _ in
                    world.scheduler.schedule(after: .zero) { hasRun.withLock { $0 = true } }
                }
                return world.fleet.send(request)
            }
        }
        #expect(run.callCount == 9 && run.escapedActions == 9)
        #expect(!hasRun.withLock { $0 })
        #expect(scenario.run { $0.fleet.send }.escapedActions == 0)
    }

    @Test func aCallThatEndsOnAnotherThreadIsItsClientsLast() {
        let scenario = Scenario(
            hosts: [host], arrivals: .closed(clients: 5, thinkTime: .constant(.milliseconds(100))),
            duration: .seconds(1))
        let run = scenario.run { world in
            { _ in
                let promise = Promise<Int>()
                world.scheduler.schedule(after: .milliseconds(1)) {
                    onThreads(1) { _ in promise.resolve(with: 1) }
                }
                return promise
            }
        }
        #expect(run.callCount == 5 && run.escapedActions == 5)
    }
}

/// A database of 300 calls a second gets 280, and stops for ten seconds (Bronson et al., "Metastable failures in
/// distributed systems", HotOS 2021).
@Suite(.oneAtATime) struct MetastableFailureTests {
    private func run(
        retrying budget: @escaping (SimulatedWorld) -> RetryBudget,
        _ change: (inout HostSettings) -> Void = { _ in }
    ) -> SimulationRun {
        var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        database.workers = 3
        change(&database)
        var scenario = Scenario(
            hosts: [database], arrivals: .poisson(rate: 280), duration: .seconds(60))
        scenario.at(.seconds(10)) { $0.host(0).pause(for: .seconds(10)) }
        return scenario.run { world in
            stack(
                .retry(
                    Retry(attempts: 2, backoff: .constant(.zero)), budget: budget(world),
                    on: world.scheduler, random: world.random),
                .timeout(.seconds(1), on: world.scheduler),
                over: world.fleet.send)
        }
    }

    @Test func withARetryForEachFailureItStaysDown() {
        let run = run { _ in .unlimited }
        #expect(run.goodput(in: 0...9) > 0.99)
        #expect(run.goodput(in: 45...60) < 0.2)
        #expect(run.amplification(in: 45..<59) > 1.8)
    }

    @Test func withABudgetItSendsLittleMore() {
        let run = run { _ in RetryBudget() }
        #expect(run.goodput(in: 0...9) > 0.99)
        #expect(run.amplification(in: 45..<59) < 1.25)
        // 280 and a fifth of that are more than 300.
        #expect(run.goodput(in: 45...60) < 0.1)
    }

    @Test func aBoundedQueueRecovers() {
        let run = run(retrying: { _ in RetryBudget() }) {
            $0.queueLimit = 100
        }
        #expect(run.goodput(in: 45...60) > 0.9)
    }
}

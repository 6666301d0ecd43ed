import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

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
                    attempts: 2, backoff: .constant(.zero), sharing: budget(world),
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

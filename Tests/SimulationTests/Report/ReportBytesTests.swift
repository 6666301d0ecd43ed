import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

/// The same seed gives the same bytes, in each build and on every machine.
@Suite(.oneAtATime) struct ReportBytesTests {
    @Test func reportsHaveTheBytesThatWereRecorded() {
        let run = ReportedRuns.busy()
        #expect(ReportedRuns.hash(of: run.table()) == 13_577_402_198_435_091_974)
        #expect(ReportedRuns.hash(of: run.json()) == 2_992_967_019_848_345_995)
        #expect(ReportedRuns.hash(of: run.picture()) == 15_008_620_492_556_019_717)
    }

    @Test func anotherSeedGivesOthers() {
        let (first, second) = (ReportedRuns.busy(seed: 4), ReportedRuns.busy(seed: 5))
        #expect(first.table() != second.table())
        #expect(first.json() != second.json())
        #expect(first.picture() != second.picture())
    }
}

/// Runs that the tests of reports look at.
enum ReportedRuns {
    /// Ten calls a second to two hosts, of which the second gets a hundred times slower after two seconds.
    static func small() -> SimulationRun {
        var scenario = Scenario(
            hosts: 2, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
            arrivals: .even(rate: 10), duration: .seconds(4))
        scenario.at(.seconds(2), "host 1 slow") { $0.host(1).slow(by: 100) }
        return scenario.run(seed: 7) { world in
            let budget = RetryBudget()
            world.gauge("retry budget") { Double(budget.balance) }
            return stack(.timeout(.seconds(2), on: world.scheduler), over: world.fleet.send)
        }
    }

    /// A stack with a breaker, retries, hedges and timeouts, over hosts that fail in several ways.
    static func busy(seed: UInt64 = 3, recordsPolicyEvents: Bool = true) -> SimulationRun {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.queueLimit = 20
        host.latency = .constant(.milliseconds(1))
        host.failureRate = 0.01
        var scenario = Scenario(
            hosts: 4, each: host, arrivals: .poisson(rate: 60), duration: .seconds(30))
        scenario.at(.seconds(8), "host 2 <slow> & \"stuck\"") { $0.host(2).slow(by: 30) }
        scenario.at(.seconds(15), "host 2 as before") { $0.host(2).slow(by: 1) }
        scenario.at(.seconds(22), "all hosts stop") { for host in $0.hosts { host.stop() } }
        scenario.at(.seconds(24), "all hosts start") { for host in $0.hosts { host.start() } }
        scenario.recordsPolicyEvents = recordsPolicyEvents
        return scenario.run(seed: seed) { world in
            let budget = RetryBudget()
            let breaker = CircuitBreaker(
                named: "fleet", failuresInARow: 10, lasting: .zero, successRate: 0.8,
                backoff: .equalJitter(base: .seconds(5), cap: .seconds(300)), on: world.scheduler,
                random: world.random)
            world.gauge("retry budget") { Double(budget.balance) }
            return stack(
                .retry(budget: budget, on: world.scheduler, random: world.random),
                .circuitBreaker(sharing: breaker),
                .hedge(
                    sharing: Hedge(after: .milliseconds(100), budget: budget, on: world.scheduler)),
                .timeout(.milliseconds(300), on: world.scheduler),
                over: world.fleet.send)
        }
    }

    /// A run in which each of nine calls leaves the simulation.
    static func escaped() -> SimulationRun {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .even(rate: 10), duration: .seconds(1))
        return scenario.run { world in
            { request in
                onThreads(1) { _ in world.scheduler.schedule(after: .zero) {} }
                return world.fleet.send(request)
            }
        }
    }

    /// A number for the bytes of a text: the hash FNV-1a with 64 bits.
    static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

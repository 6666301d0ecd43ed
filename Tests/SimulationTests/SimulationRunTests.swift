import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.oneAtATime) struct RunIntervalTests {
    @Test func intervalsAddUpToTheRun() {
        let run = ReportedRuns.busy()
        for length in [1, 4, 100] {
            let series = run.series(every: length)
            #expect(series.first?.start == 0 && series.last?.end == 30)
            #expect(zip(series, series.dropFirst()).allSatisfy { $0.end == $1.start })
            #expect(series.reduce(0) { $0 + $1.offered } == run.callCount)
            #expect(series.reduce(0) { $0 + $1.failed } == run.failures.reduce(0) { $0 + $1.count })
            #expect(series.allSatisfy { $0.offered == $0.succeeded + $0.failed })
        }
        #expect(run.series(every: 4).count == 8 && run.series(every: 4).last?.length == 2)
    }

    @Test func itsFiguresAreThoseOfTheRun() throws {
        let run = ReportedRuns.busy()
        let interval = try #require(run.series(every: 10).first)
        #expect(interval.goodput == run.goodput(in: 0...10))
        #expect(interval.amplification == run.amplification(in: 0..<10))
        #expect(interval.p50 == run.latency(50, in: 0...10))
        #expect(interval.p90 == run.latency(90, in: 0...10))
        #expect(interval.p99 == run.latency(99, in: 0...10))
        #expect(interval.p999 == run.latency(99.9, in: 0...10))
    }

    @Test func aTimeIsAnyRangeWithoutItsEnd() {
        let run = ReportedRuns.busy()
        #expect(run.goodput(in: 10..<20) == run.goodput(in: 10...20))
        #expect(run.amplification(in: 10..<20) == run.amplification(in: 10...20))
        #expect(run.amplification(in: 10.4..<19.6) == run.amplification(in: 10..<20))
        #expect(run.latency(99, in: 10..<20) == run.latency(99, in: 10...20))
        #expect(run.meanLatency(in: 10..<20) == run.meanLatency(in: 10...20))
        #expect(run.offered(in: 10..<20) == run.offered(in: 10...20))
        #expect(run.offered(in: ..<10) + run.offered(in: 10...) == run.callCount)
        #expect(run.offered(in: ...10) == run.offered(in: ..<10))
        #expect(run.amplification(in: 0...) == run.amplification(in: 0 ... .infinity))
        #expect(run.latency(99, in: 0...) == run.latency(99))
    }

    @Test func anIntervalWithoutCalls() throws {
        let scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .recorded([.milliseconds(2_200)]), duration: .milliseconds(2_500))
        let series = scenario.run { $0.fleet.send }.series()
        #expect(series.map(\.offered) == [0, 0, 1] && series.map(\.end) == [1, 2, 2.5])
        #expect(series[0].p50 == nil && series[0].goodput == 1 && series[0].amplification == 1)
    }

    @Test func callsThatHaveNotEndedDidNotFail() {
        var scenario = Scenario(
            hosts: [HostSettings(serviceTime: .constant(.seconds(9)))],
            arrivals: .even(rate: 2), duration: .seconds(2))
        scenario.drainTime = .zero
        let series = scenario.run { $0.fleet.send }.series()
        #expect(series.map(\.offered) == [1, 2])
        #expect(series.allSatisfy { $0.failed == 0 && $0.succeeded == 0 })
    }
}

/// Runs whose digests are recorded: the same in each build, on each machine, however busy it is.
///
/// A change of the simulator or of a policy may change them; two builds of the same sources may not differ.
@Suite(.oneAtATime) struct RunDigestTests {
    /// A host for each distribution, with all kinds of settings and faults among them.
    private func scenario(_ arrivals: Arrivals) -> Scenario {
        let distributions: [Distribution] = [
            .constant(.milliseconds(20)), .uniform(.milliseconds(5), .milliseconds(40)),
            .exponential(mean: .milliseconds(20)),
            .logNormal(median: .milliseconds(15), sigma: 0.8),
            .pareto(minimum: .milliseconds(8), shape: 1.6),
            .bimodal(.milliseconds(10), .milliseconds(300), shareOfSecond: 0.03),
            .histogram([(.milliseconds(10), 70), (.milliseconds(30), 25), (.milliseconds(200), 5)]),
        ]
        let hosts = distributions.enumerated().map { index, distribution in
            var host = HostSettings(serviceTime: distribution)
            host.latency = distributions[(index + 2) % distributions.count]
            host.workers = 1 + index % 3
            host.queueLimit = 20
            host.queueOrder = index % 2 == 0 ? .firstInFirstOut : .lastInFirstOut
            host.finishesAbandonedCalls = index % 2 == 0
            host.failureRate = 0.01
            host.warmUp = (.seconds(2), 3)
            return host
        }
        var scenario = Scenario(hosts: hosts, arrivals: arrivals, duration: .seconds(20))
        scenario.balancing = .fewerCallsOfTwo
        scenario.faults = [
            .slow(host: 2, by: 8, from: .seconds(2), to: .seconds(6)),
            .pause(host: 3, from: .seconds(4), to: .seconds(5)),
            .stop(host: 4, from: .seconds(6), to: .seconds(9)),
            .failures(host: 5, rate: 0.5, from: .seconds(8), to: .seconds(11)),
            .loss(host: 6, rate: 0.5, from: .seconds(10), to: .seconds(12)),
            .partition(hosts: [0, 1], from: .seconds(12), to: .seconds(14)),
            .partition(hosts: Array(hosts.indices), from: .seconds(17), to: .seconds(18)),
        ]
        scenario.at(.seconds(15)) { $0.host(1).restart(after: .seconds(1)) }
        return scenario
    }

    private func run(_ arrivals: Arrivals) -> SimulationRun {
        scenario(arrivals).run(seed: 42) { world in
            var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
            client.scheduler = world.scheduler
            client.random = world.random
            // Named, so that no change of a default changes a digest.
            client.circuitBreaker = .perOrigin(
                CircuitBreaker(
                    failuresInARow: 5, lasting: .zero, successRate: 0.8,
                    backoff: .equalJitter(base: .seconds(5), cap: .seconds(300))))
            client.hedge = .perOrigin(Hedge(after: .milliseconds(150), maxExtraLoad: 0.2))
            client.attemptTimeout = .milliseconds(500)
            client.deadline = .seconds(3)
            let networking = client.networking
            return { call in networking(Endpoint(path: "/\(call.number)")) }
        }
    }

    private static let digests: [(Arrivals, digest: UInt64)] = [
        (
            .poisson([(.seconds(5), 40), (.seconds(10), 90), (.seconds(20), 60)]),
            4_718_467_110_186_020_083
        ),
        (
            .closed(clients: 12, thinkTime: .exponential(mean: .milliseconds(200))),
            3_870_194_085_502_253_690
        ),
    ]

    @Test(arguments: 0...1) func aRunHasItsDigestInEachBuild(_ number: Int) {
        let (arrivals, digest) = Self.digests[number]
        let run = run(arrivals)
        #expect(run.digest == digest)
        // It is a run in which much happens.
        #expect(run.escapedActions == 0 && run.callCount > 500)
        #expect(!run.failures.isEmpty && run.goodput > 0.5)
    }

    @Test func aRunOnABusyMachineHasItsDigest() async {
        let (arrivals, digest) = Self.digests[0]
        await withTaskGroup(of: UInt64.self) { group in
            for _ in 0..<3 { group.addTask { run(arrivals).digest } }
            for await found in group { #expect(found == digest) }
        }
    }

    @Test func aDigestDependsOnEachCall() {
        let whole = run(Self.digests[0].0)
        #expect(whole.digest != run(Self.digests[1].0).digest)
        let scenario = scenario(Self.digests[0].0)
        let first = scenario.run(seed: 1) { $0.fleet.send as Service }.digest
        #expect(first == scenario.run(seed: 1) { $0.fleet.send as Service }.digest)
        #expect(first != scenario.run(seed: 2) { $0.fleet.send as Service }.digest)
    }
}

extension SimulationRun {
    /// FNV-1a of 64 bits over all calls, the kinds of their ends, and what each host did.
    var digest: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ number: some FixedWidthInteger) {
            for shift in stride(from: 0, to: 64, by: 8) {
                hash ^= (UInt64(truncatingIfNeeded: number) >> UInt64(shift)) & 0xFF
                hash = hash &* 0x100_0000_01b3
            }
        }
        for index in begins.indices {
            add(begins[index])
            add(ends[index])
            add(outcomes[index])
        }
        for kind in kinds { for byte in kind.utf8 { add(byte) } }
        add(eventCount)
        for host in hosts {
            for number in [host.received, host.refused, host.finished, host.wasted] { add(number) }
            add(host.meanCalls.bitPattern)
            add(host.meanTime.bitPattern)
        }
        return hash
    }
}

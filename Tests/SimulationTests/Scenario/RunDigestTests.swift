import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            client.circuitBreaker = .perOrigin {
                CircuitBreaker(
                    named: $0.name, failuresInARow: 5, successRate: 0.8,
                    backoff: .equalJitter(base: .seconds(5), cap: .seconds(300)), on: $0.scheduler,
                    random: $0.random)
            }
            client.hedge = HTTPClient.Hedge(after: .milliseconds(150), maxExtraLoad: 0.2)
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

import Foundation
import PledgeFutures
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct SimulatedHostTests {
    private let second = HostSettings(serviceTime: .constant(.seconds(1)))

    /// A run of calls at given times, in seconds.
    private func run(
        _ host: HostSettings, at times: [Double], duration: Double = 60,
        _ change: (inout Scenario) -> Void = { _ in }
    ) -> SimulationRun {
        var scenario = Scenario(
            hosts: [host], arrivals: .recorded(times.map { .seconds($0) }),
            duration: .seconds(duration))
        change(&scenario)
        return scenario.run { $0.fleet.send }
    }

    @Test func aFullQueueRefuses() {
        var host = second
        host.queueLimit = 1
        let run = run(host, at: [0, 0.1, 0.2])
        #expect(run.failures.map(\.kind) == ["SimulatedFailure.queueFull"])
        #expect(run.hosts[0].refused == 1 && run.hosts[0].finished == 2)
    }

    @Test(arguments: [
        (HostSettings.QueueOrder.firstInFirstOut, 2.9), (.lastInFirstOut, 3.8),
    ])
    func theOrderOfTheQueue(order: HostSettings.QueueOrder, longest: Double) throws {
        var host = second
        host.queueOrder = order
        let run = run(host, at: [0, 0.1, 0.2, 0.3])
        // First in, first out: 0.3 waits until 4. Last in, first out: 0.1 does.
        let expected = order == .firstInFirstOut ? 3.7 : 3.9
        let found = try #require(run.latency(100))
        #expect(abs(found - expected) < 1e-9)
    }

    @Test func latencyIsAddedTwice() throws {
        var host = second
        host.latency = .constant(.milliseconds(50))
        let found = try #require(run(host, at: [0]).latency(100))
        #expect(abs(found - 1.1) < 1e-9)
    }

    @Test func aSlowHostTakesLonger() {
        let run = run(second, at: [0, 10, 20]) { scenario in
            scenario.at(.seconds(5)) { $0.host(0).slow(by: 3) }
            scenario.at(.seconds(15)) { $0.host(0).slow(by: 1) }
        }
        #expect(run.latency(100, in: 0...1) == 1)
        #expect(run.latency(100, in: 10...11) == 3)
        #expect(run.latency(100, in: 20...21) == 1)
    }

    @Test func aPauseHoldsUpWhatIsThereAndWhatComes() throws {
        let run = run(second, at: [0, 2]) { scenario in
            scenario.at(.milliseconds(500)) { $0.host(0).pause(for: .seconds(5)) }
        }
        #expect(run.latency(100, in: 0...1) == 5.5)
        let later = try #require(run.latency(100, in: 2...3))
        #expect(abs(later - 4.5) < 1e-9)
    }

    @Test func aHostThatGoesDownLosesItsCallsAndRefusesNewOnes() {
        let run = run(second, at: [0, 0.1, 2, 7]) { scenario in
            scenario.at(.milliseconds(500)) { $0.host(0).restart(after: .seconds(5)) }
        }
        #expect(
            run.failures.map { "\($0.kind) \($0.count)" }
                == ["SimulatedFailure.connectionLost 2", "SimulatedFailure.unreachable 1"])
        #expect(run.goodput(in: 7...8) == 1)
    }

    @Test func aLostConnectionIsNoticedAfterTheLatency() throws {
        var host = second
        host.latency = .constant(.milliseconds(200))
        var scenario = Scenario(
            hosts: [host], arrivals: .recorded([.zero]), duration: .seconds(10))
        // The worker would have finished at 1.2 s, before the failure has come back.
        scenario.at(.milliseconds(1_100)) { $0.host(0).stop() }
        let ends = Locked([Duration]())
        let run = scenario.run { world in
            { request in
                let future = world.fleet.send(request)
                future.onFailure { _ in ends.withLock { $0.append(world.scheduler.now.offset) } }
                return future
            }
        }
        #expect(run.failures.map(\.kind) == ["SimulatedFailure.connectionLost"])
        #expect(ends.withLock { $0 } == [.milliseconds(1_300)])
    }

    @Test func aHostThatHasStartedIsSlowerAtFirst() throws {
        var host = second
        host.warmUp = (.seconds(10), 3)
        let run = run(host, at: [6, 13, 30]) { scenario in
            scenario.at(.seconds(1)) { $0.host(0).restart(after: .seconds(4)) }
        }
        // One and eight of ten seconds after it has started.
        let cold = try #require(run.latency(100, in: 6...7))
        let warmer = try #require(run.latency(100, in: 13...14))
        #expect(abs(cold - 2.8) < 1e-9 && abs(warmer - 1.4) < 1e-9)
        #expect(run.latency(100, in: 30...31) == 1)
    }

    @Test func aLostMessageHasNoAnswer() {
        var host = second
        host.lossRate = 1
        let run = run(host, at: [0])
        #expect(run.unfinishedCalls == 1)
    }

    @Test(arguments: [true, false]) func workGoesOnAfterItsCallerHasLeft(finishes: Bool) {
        var host = second
        host.finishesAbandonedCalls = finishes
        var scenario = Scenario(
            hosts: [host], arrivals: .recorded([.zero, .zero, .zero]), duration: .seconds(60))
        scenario.drainTime = .seconds(10)
        // A last call keeps the run going until the host has done all.
        scenario.arrivals = .recorded([.zero, .zero, .zero, .seconds(20)])
        let run = scenario.run { world in
            stack(.timeout(.milliseconds(1_500), on: world.scheduler), over: world.fleet.send)
        }
        #expect(run.goodput == 0.5)
        #expect(run.hosts[0].finished == (finishes ? 4 : 2))
        #expect(run.hosts[0].wasted == (finishes ? 2 : 0))
        #expect(run.hosts[0].meanCalls > 0)
    }

    @Test func aShareOfCallsFails() {
        var host = HostSettings(serviceTime: .constant(.milliseconds(1)))
        host.failureRate = 0.25
        let scenario = Scenario(
            hosts: [host], arrivals: .even(rate: 100), duration: .seconds(100))
        let run = scenario.run { $0.fleet.send }
        #expect(abs(run.goodput - 0.75) < 0.02)
    }
}

private let isWhole = ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] == "whole"

/// The memory of hosts that do nothing: 10,000 with PLEDGE_SIMULATIONS=whole, and a tenth of them otherwise.
@Suite(.oneAtATime) struct IdleHostsTests {
    @Test func idleHostsFitInto128MiB() throws {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        host.queueLimit = 100
        let scenario = Scenario(
            hosts: isWhole ? 10_000 : 1_000, each: host, arrivals: .poisson(rate: 10),
            duration: .seconds(10))
        let before = try residentMebibytes()
        let during = Locked(0.0)
        let run = scenario.run { world in
            let found = (try? residentMebibytes()) ?? .infinity
            during.withLock { $0 = found }
            return world.fleet.send
        }
        #expect(run.goodput == 1)
        #expect(during.withLock { $0 } - before < 128)
    }

    /// The memory of the process, as the system counts it; 0 where it does not say.
    private func residentMebibytes() throws -> Double {
        guard FileManager.default.fileExists(atPath: "/proc/self/statm") else { return 0 }
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ")
        return try Double(#require(Int(fields[1])) * 4) / 1_024
    }
}

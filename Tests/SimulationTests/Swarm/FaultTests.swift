import PledgeFutures
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct FaultTests {
    /// Two hosts that each answer in 10 ms, and ten calls a second to each.
    private let scenario: Scenario = {
        var scenario = Scenario(
            hosts: 2, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
            arrivals: .even(rate: 20), duration: .seconds(10))
        scenario.drainTime = .seconds(1)
        return scenario
    }()

    private func run(_ faults: [Fault]) -> SimulationRun {
        var scenario = scenario
        scenario.faults = faults
        return scenario.run { $0.fleet.send }
    }

    @Test func aFaultHasATextThatSaysWhenAndWhat() {
        let texts = [
            Fault.slow(host: 3, by: 10, from: .seconds(30), to: .seconds(60)),
            .slow(host: 3, by: 2.5, from: .milliseconds(1_250)),
            .pause(host: 0, from: .zero, to: .milliseconds(10)),
            .stop(host: 1, from: .seconds(1), to: .seconds(2)),
            .failures(host: 1, rate: 0.05, from: .seconds(1), to: .seconds(2)),
            .loss(host: 1, rate: 0.125, from: .seconds(1)),
            .partition(hosts: [1, 2], from: .seconds(1), to: .seconds(2)),
            .change(at: .seconds(3)) { _ in },
            .change(at: .seconds(3), "host 1 is repaired") { _ in },
        ].map(\.description)
        #expect(
            texts == [
                "30 s to 60 s: host 3 takes 10 times as long",
                "1.25 s: host 3 takes 2.5 times as long",
                "0 s to 0.01 s: host 0 is paused",
                "1 s to 2 s: host 1 is down",
                "1 s to 2 s: host 1 fails 5 % of its calls",
                "1 s: host 1 loses 12.5 % of its messages",
                "1 s to 2 s: hosts 1, 2 cannot be reached from outside",
                "3 s: a change of the fleet",
                "3 s: host 1 is repaired",
            ])
    }

    @Test func aSlowHostIsAsFastAsBeforeAtTheEnd() {
        let run = run([.slow(host: 1, by: 5, from: .seconds(2), to: .seconds(4))])
        #expect(run.latency(100, in: 0...1.99) == 0.01)
        #expect(run.latency(100, in: 2...4) == 0.05)
        #expect(run.latency(0, in: 2...4) == 0.01)
        #expect(run.latency(100, in: 4...10) == 0.01)
        #expect(run.lastFaultTime == 4)
    }

    @Test func ofOverlappingFaultsTheStrongestCounts() {
        let run = run([
            .slow(host: 1, by: 5, from: .seconds(2), to: .seconds(5)),
            .slow(host: 1, by: 3, from: .seconds(1), to: .seconds(8)),
        ])
        let longest = [0...0.99, 1...1.99, 2...4.99, 5...7.99, 8...10].map { time in
            Int((run.latency(100, in: time) ?? 0) * 1_000)
        }
        #expect(longest == [10, 30, 50, 30, 10])
    }

    @Test func aStoppedHostIsDownUntilTheLastStopEnds() {
        let run = run([
            .stop(host: 1, from: .seconds(2), to: .seconds(4)),
            .stop(host: 1, from: .seconds(3), to: .seconds(6)),
        ])
        #expect(run.goodput(in: 0...1.99) == 1)
        #expect(abs(run.goodput(in: 2...5.99) - 0.5) < 0.02)
        #expect(run.goodput(in: 6...10) == 1)
        #expect(run.failures.map(\.kind) == ["SimulatedFailure.unreachable"])
    }

    @Test func aPausedHostWorksAfterwards() {
        let run = run([.pause(host: 1, from: .seconds(2), to: .seconds(4))])
        #expect(run.goodput == 1)
        #expect(run.latency(100, in: 2...4) ?? 0 > 1.9)
        #expect(run.latency(100, in: 5...10) == 0.01)
    }

    @Test func failuresAndLossesEndWithTheRatesOfTheSettings() {
        let failing = run([.failures(host: 1, rate: 1, from: .seconds(2), to: .seconds(4))])
        #expect(failing.goodput(in: 0...1.99) == 1 && failing.goodput(in: 4...10) == 1)
        #expect(abs(failing.goodput(in: 2...3.99) - 0.5) < 0.03)
        let losing = run([.loss(host: 1, rate: 1, from: .seconds(2), to: .seconds(4))])
        #expect(losing.goodput(in: 0...1.9) == 1 && losing.goodput(in: 4...10) == 1)
        #expect(abs(losing.goodput(in: 2...3.99) - 0.5) < 0.03)
        #expect(losing.unfinishedCalls > 10)
    }

    @Test func aPartitionEndsAndAnotherGoesOn() {
        let run = run([
            .partition(hosts: [0], from: .seconds(2), to: .seconds(4)),
            .partition(hosts: [1], from: .seconds(3), to: .seconds(6)),
        ])
        #expect(run.goodput(in: 0...1.9) == 1 && run.goodput(in: 6...10) == 1)
        #expect(abs(run.goodput(in: 2...2.9) - 0.5) < 0.06)
        #expect(run.goodput(in: 3...3.9) == 0)
        #expect(abs(run.goodput(in: 4...5.9) - 0.5) < 0.06)
    }

    /// Thirty seconds are no whole number of seconds as a product with 1e-9.
    @Test func recoveryIsJudgedUntilTheLastSecond() {
        var scenario = Scenario(
            hosts: 1, each: HostSettings(serviceTime: .constant(.milliseconds(10))),
            arrivals: .even(rate: 10), duration: .seconds(60))
        scenario.add(.slow(host: 0, by: 2, from: .seconds(20), to: .seconds(30)))
        let run = scenario.run { world in
            { call in
                world.scheduler.now.offset > .seconds(59)
                    ? Future(error: CancellationError())
                    : world.fleet.send(call)
            }
        }
        #expect(run.lastFaultTime == 30)
        #expect(!run.recovers(within: .seconds(10)))
    }
}

import PledgeServices
import PledgeSimulation
import Testing

@testable import simulate

@Suite(.serialized)
struct TrialTests {
    /// Three calls at once, to three hosts that answer after a time, by attempts of a second without a retry.
    private func run(
        answeringAfter time: Duration, _ change: (Trial) -> Trial = { $0 }
    ) -> SimulationRun {
        let trial = Trial(
            name: "",
            scenario: Scenario(
                hosts: 3, each: HostSettings(serviceTime: .constant(time)),
                arrivals: .recorded(Array(repeating: .zero, count: 3)), duration: .seconds(1)),
            fault: 0..<1)
        let changed = change(trial)
        return changed.scenario.run { world in
            changed.service(in: world) { .attempt(in: $0) }
        }
    }

    @Test func callsWaitForAConnectionAndTheWaitIsNotCounted() {
        #expect(run(answeringAfter: .milliseconds(900)).latency(100) == 0.9)
        let waiting = run(answeringAfter: .milliseconds(900)) { $0.over(connections: 1) }
        #expect(waiting.goodput == 1)
        #expect(waiting.latency(100) == 2.7)
        #expect(waiting.latency(0) == 0.9)
    }

    @Test func theTimeOnAConnectionIsCounted() {
        let late = run(answeringAfter: .milliseconds(1_100)) { $0.over(connections: 2) }
        #expect(late.failures.map(\.kind) == ["ServiceError.timedOut"])
        #expect(late.endTime == 2)
    }

    @Test func eachClientHasItsOwnConnections() {
        let three = run(answeringAfter: .milliseconds(900)) {
            $0.over(clients: 3).over(connections: 1)
        }
        #expect(three.latency(100) == 0.9)
    }

    @Test func callsGoToOneOriginAfterTheOther() {
        var trial = Trial(
            name: "",
            scenario: Scenario(
                hosts: 3, each: HostSettings(serviceTime: .constant(.zero)),
                arrivals: .even(rate: 31), duration: .seconds(1)), fault: 0..<1)
        trial.hostsAreOrigins = true
        let run = trial.scenario.run { world in trial.service(in: world) { .attempt(in: $0) } }
        #expect(run.hosts.map(\.received) == [10, 10, 10])
    }

    @Test func theNameSaysHowManyClientsAndConnectionsThereAre() {
        let trial = Trial.oneDown.over(clients: 10).over(connections: 8)
        #expect(trial.name == "1 of 5 down, 10 clients, 8 connections")
    }
}

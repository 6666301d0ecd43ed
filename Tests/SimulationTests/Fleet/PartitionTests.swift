import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct PartitionTests {
    private let host = HostSettings(serviceTime: .constant(.seconds(1)))

    /// The ends of two calls at 0, 10 and 20 seconds, to the hosts 0 and 1, of which those that have no answer in five
    /// seconds fail.
    private func goodput(_ change: (inout Scenario) -> Void) -> [Double] {
        var scenario = Scenario(
            hosts: 2, each: host,
            arrivals: .recorded([0, 0, 10, 10, 20, 20].map { .seconds($0) }),
            duration: .seconds(30))
        change(&scenario)
        let run = scenario.run { world in
            stack(.timeout(.seconds(5), on: world.scheduler), over: world.fleet.send)
        }
        return [0.0, 10, 20].map { run.goodput(in: $0...$0 + 1) }
    }

    @Test func aPartitionLosesWhatIsSentToItsHostsUntilItIsHealed() {
        let found = goodput { scenario in
            scenario.at(.seconds(9)) { $0.partition([1]) }
            scenario.at(.seconds(19)) { $0.heal() }
        }
        #expect(found == [1, 0.5, 1])
    }

    @Test func aPartitionLosesAnswersUnderWay() {
        let found = goodput { scenario in
            scenario.at(.milliseconds(10_500)) { $0.partition([0]) }
            scenario.at(.milliseconds(12_000)) { $0.heal() }
        }
        #expect(found == [1, 0.5, 1])
    }

    @Test func theClientsCanBeOnTheSideOfTheHosts() {
        let found = goodput { scenario in
            scenario.at(.seconds(9)) { $0.partition([0], withClients: true) }
        }
        #expect(found == [1, 0.5, 0.5])
    }

    @Test func aSecondPartitionSeparatesItsHostsFromTheFirstToo() {
        let found = goodput { scenario in
            scenario.at(.seconds(9)) { $0.partition([0], withClients: true) }
            scenario.at(.seconds(19)) { $0.partition([0]) }
        }
        #expect(found == [1, 0.5, 0])
    }
}

import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct RunSettingsTests {
    private func scenario(_ arrivals: Arrivals = .even(rate: 10)) -> Scenario {
        Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))], arrivals: arrivals,
            duration: .seconds(20))
    }

    @Test func changesAreInTheOrderOfTheirTimes() {
        var scenario = scenario()
        scenario.at(.seconds(9), "third") { _ in }
        scenario.at(.seconds(5), "first") { _ in }
        scenario.at(.seconds(5), "second") { _ in }
        scenario.at(.seconds(20), "after the last call") { _ in }
        let changes = scenario.run { $0.fleet.send }.changes
        #expect(changes.map(\.name) == ["first", "second", "third"])
        #expect(changes.map(\.time) == [5, 5, 9])
    }

    @Test func aRunRecoversAfterItsLastChange() {
        var scenario = scenario()
        scenario.at(.seconds(5)) { $0.host(0).stop() }
        scenario.at(.seconds(10)) { $0.host(0).start() }
        let run = scenario.run { $0.fleet.send }
        #expect(run.recovers(within: .seconds(1)))
        #expect(!run.recovers(within: .seconds(1), after: 5))
        scenario.at(.seconds(12)) { $0.host(0).stop() }
        #expect(!scenario.run { $0.fleet.send }.recovers(within: .seconds(1)))
    }

    @Test(arguments: [
        (Arrivals.even(rate: 2.5), "at equal distances, 2.5 a second"),
        (.poisson(rate: 10), "Poisson process, 10 a second"),
        (
            .poisson([(.seconds(1), 5), (.milliseconds(2_500), 0.1)]),
            "Poisson process, 5 a second until 1 s, 0.1 a second until 2.5 s"
        ),
        (.recorded([.seconds(1)]), "recorded, 1 call"),
        (
            .closed(clients: 2, thinkTime: .constant(.milliseconds(500))),
            "closed loop, 2 clients, mean think time 0.5 s"
        ),
    ])
    func arrivalsInWords(arrivals: Arrivals, text: String) {
        let json = scenario(arrivals).run { $0.fleet.send }.json()
        #expect(json.contains("\"arrivals\":\"\(text)\""))
    }
}

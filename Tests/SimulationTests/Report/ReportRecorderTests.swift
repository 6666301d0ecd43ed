import PledgeFutures
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

@Suite(.oneAtATime) struct GaugeRecorderTests {
    private func scenario(until end: Duration) -> Scenario {
        Scenario(
            hosts: [HostSettings(serviceTime: .constant(.milliseconds(1)))],
            arrivals: .even(rate: 4), duration: end)
    }

    @Test func aValueIsReadAtEachSecondWhileCallsAreMade() {
        let run = scenario(until: .milliseconds(3_500)).run { world in
            let calls = Locked(0)
            world.gauge("calls") { Double(calls.withLock { $0 }) }
            world.gauge("seconds") { world.scheduler.now.offset / .seconds(1) }
            return { request in
                calls.withLock { $0 += 1 }
                return world.fleet.send(request)
            }
        }
        #expect(run.gauges.map(\.name) == ["calls", "seconds"])
        #expect(run.gauges[1].values == [0, 1, 2, 3])
        #expect(run.gauges[0].values.map { $0.rounded() } == [0, 3, 7, 11])
        #expect(run.gauges.allSatisfy { $0.firstSecond == 0 })
    }

    @Test func aValueThatIsAddedLaterIsReadFromTheNextSecondOn() {
        let run = scenario(until: .seconds(3)).run { world in
            let isAdded = Locked(false)
            return { request in
                if !isAdded.withLock({ $0 }) {
                    isAdded.withLock { $0 = true }
                    world.gauge("late") { 5 }
                }
                return world.fleet.send(request)
            }
        }
        #expect(run.gauges.first?.firstSecond == 1 && run.gauges.first?.values == [5, 5, 5])
    }

    @Test func readingValuesChangesNoCall() {
        let scenario = scenario(until: .seconds(5))
        let bare = scenario.run { $0.fleet.send }
        let read = scenario.run { world in
            world.gauge("hosts") { Double(world.fleet.hosts.count) }
            return world.fleet.send
        }
        #expect("\(bare)" == "\(read)" && bare.gauges.isEmpty)
    }

    @Test func aHostsOwnGaugesBearItsNumber() {
        var shop = HostSettings(serviceTime: .constant(.milliseconds(1)))
        shop.calls { world in
            world.gauge("calls in flight") { 0 }
            return { call in world.fleet.send(SimulatedRequest(number: call.number, host: 1)) }
        }
        let database = HostSettings(serviceTime: .constant(.milliseconds(1)))
        let scenario = Scenario(
            hosts: [shop, database], arrivals: .even(rate: 1), duration: .seconds(2))
        let run = scenario.run { world in
            { call in world.fleet.send(SimulatedRequest(number: call.number, host: 0)) }
        }
        #expect(run.gauges.map(\.name) == ["host 0: calls in flight"])
    }

    @Test func whatAGaugeHoldsIsReleased() {
        final class Held: Sendable {}
        weak var held: Held?
        let run = scenario(until: .seconds(2)).run { world in
            let value = Held()
            held = value
            world.gauge("held") {
                withExtendedLifetime((value, world)) { 1 }
            }
            return world.fleet.send
        }
        #expect(run.gauges.first?.values == [1, 1, 1])
        #expect(held == nil)
    }
}

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

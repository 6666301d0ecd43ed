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

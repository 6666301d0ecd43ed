import PledgeServices
import PledgeSimulation
import Testing

@Suite struct ConnectionsTests {
    /// Two calls at once to a host that needs a tenth of a second for each.
    private func run(connections: Int, timeout: Duration) -> SimulationRun {
        var host = HostSettings(serviceTime: .constant(.milliseconds(100)))
        host.workers = 2
        let scenario = Scenario(
            hosts: [host], arrivals: .recorded([.zero, .zero]), duration: .seconds(1))
        return scenario.run { world in
            stack(
                .timeout(timeout, on: world.scheduler), .connections(connections, in: world),
                over: world.fleet.send)
        }
    }

    @Test func aCallWaitsForAConnection() {
        let (free, busy) = (
            run(connections: 2, timeout: .seconds(1)), run(connections: 1, timeout: .seconds(1))
        )
        // A message takes a little time too.
        #expect(free.latency(100).map { ($0 * 10).rounded() } == 1)
        #expect(busy.latency(100).map { ($0 * 10).rounded() } == 2)
    }

    @Test func noTimeoutCountsTheWait() {
        #expect(run(connections: 1, timeout: .milliseconds(150)).goodput == 1)
    }

    @Test func aCancelledCallLeavesItsConnectionToTheNext() {
        var host = HostSettings(serviceTime: .constant(.milliseconds(100)))
        host.workers = 3
        let scenario = Scenario(
            hosts: [host], arrivals: .recorded([.zero, .zero, .milliseconds(60)]),
            duration: .seconds(1))
        // The second call gets the connection after a tenth of a second, and ends unanswered 50 ms later.
        let run = scenario.run { world in
            stack(
                .deadline(.milliseconds(150), on: world.scheduler), .retry(on: world.scheduler),
                .connections(1, in: world), over: world.fleet.send)
        }
        #expect(run.hosts[0].received == 3)
        #expect(run.failures.map(\.count) == [2])
    }
}

import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

/// Hosts that call other hosts.
@Suite(.oneAtATime) struct DownstreamTests {
    private typealias Calls = Service<SimulatedRequest, SimulatedResponse>

    private let second = HostSettings(serviceTime: .constant(.seconds(1)))

    /// A host that calls host 1, with a stack around the calls.
    private func front(
        _ makeService: @escaping @Sendable (SimulatedWorld) -> Calls = { $0.fleet.send }
    ) -> HostSettings {
        var host = second
        host.calls { world in
            let service = makeService(world)
            return { call in service(SimulatedRequest(number: call.number, host: 1)) }
        }
        return host
    }

    private func run(
        _ hosts: [HostSettings], at times: [Double],
        _ makeService: (SimulatedWorld) -> Calls = { $0.fleet.send },
        _ change: (inout Scenario) -> Void = { _ in }
    ) -> SimulationRun {
        var scenario = Scenario(
            hosts: hosts, arrivals: .recorded(times.map { .seconds($0) }), duration: .seconds(60))
        change(&scenario)
        return scenario.run { world in
            let service = makeService(world)
            return { call in service(SimulatedRequest(number: call.number, host: 0)) }
        }
    }

    @Test func anAnswerComesAfterTheOtherHosts() {
        let run = run([front(), second], at: [0])
        #expect(run.latency(100) == 2)
        #expect(run.hosts.map(\.received) == [1, 1])
        // The clients have sent one call.
        #expect(run.amplification == 1)
    }

    @Test(arguments: [true, false]) func aWorkerWaitsOrDoesNot(holds: Bool) {
        var host = front()
        host.holdsWorkerWhileCalling = holds
        var database = second
        database.workers = 2
        let run = run([host, database], at: [0, 0.0])
        // 1 + 1 seconds each, of which the second call waits for the whole first one, or for its own part only.
        #expect(run.latency(100) == (holds ? 4 : 3))
        #expect(run.hosts[0].finished == 2)
    }

    @Test func aFailureBelowIsAFailureAbove() {
        var broken = second
        broken.failureRate = 1
        let run = run([front(), broken], at: [0])
        #expect(run.failures.map(\.kind) == ["SimulatedFailure.downstreamFailed"])
    }

    @Test func eachLayerRepeats() {
        var broken = second
        broken.failureRate = 1
        let three: @Sendable (SimulatedWorld) -> Calls = {
            stack(
                .retry(
                    attempts: 3, backoff: .constant(.zero), sharing: .unlimited, on: $0.scheduler),
                over: $0.fleet.send)
        }
        let run = run([front(three), broken], at: [0], three)
        #expect(run.hosts.map(\.received) == [3, 9])
    }

    @Test func aHostThatGoesDownGivesUpItsCallsToOthers() {
        for holds in [true, false] {
            var host = front()
            host.holdsWorkerWhileCalling = holds
            var patient = second
            patient.serviceTime = .constant(.seconds(5))
            patient.finishesAbandonedCalls = false
            let run = run([host, patient], at: [0, 20]) {
                $0.fleet.send
            } _: { scenario in
                scenario.at(.seconds(2)) { $0.host(0).restart(after: .seconds(1)) }
            }
            #expect(run.failures.map(\.kind) == ["SimulatedFailure.connectionLost"])
            #expect(run.hosts.map(\.finished) == [1, 1])
            #expect(run.goodput(in: 20...21) == 1)
        }
    }

    @Test func aHostKnowsDeadlinesAndPassesThemOn() {
        var (host, database) = (front(), second)
        (host.knowsDeadlines, database.knowsDeadlines) = (true, true)
        host.workers = 3
        let run = run([host, database], at: [0, 0, 0]) { world in
            stack(.deadline(.milliseconds(2_500), on: world.scheduler), over: world.fleet.send)
        }
        // The database begins a call at 1 and at 2 seconds; the third would begin at 3.
        #expect(run.hosts[1].received == 3 && run.hosts[1].finished == 2)
        #expect(run.hosts[0].wasted == 2)
    }

    @Test func aPartitionLiesBetweenHosts() {
        var scenario = Scenario(
            hosts: [front(), second], arrivals: .recorded([.zero]), duration: .seconds(10))
        scenario.at(.zero) { $0.partition([1]) }
        let run = scenario.run { world in
            { call in world.fleet.send(SimulatedRequest(number: call.number, host: 0)) }
        }
        #expect(run.unfinishedCalls == 1)
    }

    @Test func aRefusalSaysWhenToComeAgain() {
        var host = second
        host.queueLimit = 0
        host.retryAfter = .seconds(3)
        let answers = Locked([String?]())
        let run = run([host], at: [0, 0]) { world in
            { call in
                world.fleet.send(HTTPRequest(.get, Fleet.base)).map { response in
                    answers.withLock { $0.append(response.headers["Retry-After"]) }
                    return SimulatedResponse(host: 0)
                }
            }
        }
        #expect(run.callCount == 2)
        #expect(answers.withLock { $0 } == ["3", nil])
    }

    @Test func aRetryWaitsForAsLongAsARefusalSays() {
        var host = second
        host.queueLimit = 0
        host.retryAfter = .seconds(9)
        let run = run([host], at: [0, 0.5]) { world in
            stack(.retry(on: world.scheduler, random: world.random), over: world.fleet.send)
        }
        let slowest = run.latency(100) ?? 0
        #expect(run.goodput == 1 && slowest >= 9 && slowest < 13)
    }
}

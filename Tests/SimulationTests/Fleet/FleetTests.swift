import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
                    Retry(attempts: 3, backoff: .constant(.zero)), budget: .unlimited,
                    on: $0.scheduler),
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

/// Hosts with names, and answers of one's choice.
@Suite struct FleetHTTPTests {
    private struct Product: Codable, Equatable, Sendable {
        let name: String
        let path: String
    }

    /// A catalogue that knows each product but "/404", and a host of another name that fails.
    private func shop() -> Scenario {
        var catalogue = HostSettings(serviceTime: .constant(.milliseconds(10)))
        catalogue.name = "catalogue"
        catalogue.answer = { request in
            if request.url.path == "/404" { return HTTPResponse(status: 404) }
            let product = Product(name: "a chair", path: request.url.path)
            let body = (try? JSONEncoder().encode(product)) ?? Data()
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: body)
        }
        var payments = HostSettings(serviceTime: .constant(.milliseconds(10)))
        payments.name = "pay.shop.com"
        payments.failureRate = 1
        return Scenario(
            hosts: [HostSettings(serviceTime: .constant(.zero)), catalogue, payments],
            arrivals: .even(rate: 1), duration: .seconds(2))
    }

    /// The end of one call to a URL.
    private func end(_ url: String) throws -> (Result<HTTPResponse, any Error>?, SimulationRun) {
        let url = try #require(URL(string: url))
        let results = TestLog<Result<HTTPResponse, any Error>>()
        let run = shop().run { world in
            { _ in
                let future: Future<HTTPResponse> = world.fleet.send(HTTPRequest(url))
                future.observe { results.append($0) }
                return future
            }
        }
        return (results.elements.first, run)
    }

    @Test func anAppDecodesWhatItsHostAnswers() throws {
        let products = TestLog<Product>()
        let run = shop().run { world in
            let base = URL(string: "http://catalogue.fleet.test")!
            var client = HTTPClient(base: base, over: world.fleet.send)
            client.scheduler = world.scheduler
            client.random = world.random
            let networking = client.networking
            return { call in
                networking(Endpoint(path: "/products/\(call.number)"))
                    .decoded(as: Product.self)
                    .map { products.append($0) }
            }
        }
        #expect(run.error == nil && run.goodput == 1)
        #expect(products.elements == [Product(name: "a chair", path: "/products/0")])
        #expect(run.hosts.map(\.name) == ["host 0", "catalogue", "pay.shop.com"])
        #expect(run.hosts.map(\.received) == [0, 1, 0])
    }

    @Test func anAnswerHasItsStatusAndItsRequest() throws {
        let response = try #require(try end("http://catalogue.fleet.test/404").0).get()
        #expect(response.status == 404 && response.body.isEmpty)
        #expect(response.url?.path == "/404" && response.request?.url.path == "/404")
        let chair = try #require(try end("http://CATALOGUE/7").0).get()
        #expect(chair.status == 200 && chair.headers["Content-Type"] == "application/json")
    }

    @Test func aHostIsNamedByItsWholeNameOrItsNumber() throws {
        let (answer, run) = try end("https://pay.shop.com/orders")
        #expect(try #require(answer).get().status == 500)
        #expect(run.hosts.map(\.received) == [0, 0, 1])
        #expect(try end("http://1.fleet.test/").1.hosts.map(\.received) == [0, 1, 0])
    }

    @Test func reportsHaveTheNames() throws {
        var scenario = shop()
        scenario.at(.milliseconds(500)) { $0.host(named: "catalogue").stop() }
        let errors = TestLog<String>()
        let run = scenario.run { world in
            { call in
                world.fleet.send(SimulatedRequest(number: call.number, host: 1))
                    .mapError { error in
                        errors.append("\(error)")
                        return error
                    }
            }
        }
        #expect(errors.elements == ["catalogue is down"])
        #expect(run.table().contains("\ncatalogue "))
        #expect(run.json().contains(#"{"number":1,"name":"catalogue","workers":1"#))
        #expect(run.json().contains(#"{"number":0,"workers":1"#))
    }
}

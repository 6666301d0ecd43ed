import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import PledgeTraffic
import Testing

/// The slot whose objects another product makes: it works like the slots of the client's own policies.
@Suite struct LoadShedderSlotTests {
    private let scheduler = ManualScheduler()
    private let one = URL(string: "https://one.example")!
    private let two = URL(string: "https://two.example")!

    private struct Slow: HTTPTransport {
        let scheduler: ManualScheduler

        func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
            Future(value: HTTPResponse(status: 200)).delay(.seconds(1), on: scheduler)
        }
    }

    private func client(_ change: (inout HTTPClient) -> Void) -> HTTPClient {
        var client = HTTPClient(base: nil, over: Slow(scheduler: scheduler))
        client.scheduler = scheduler
        change(&client)
        return client
    }

    private func states(_ client: HTTPClient, _ url: URL) throws -> HTTPClient.Origins.States {
        client.origins[try #require(HTTPOrigin(url))]
    }

    @Test func aPlainShedderServesAllOriginsAndIsInTheSlot() throws {
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let client = client { $0.loadShedder = shedder }
        let calls = [client.futures.send(HTTPRequest(one)), client.futures.send(HTTPRequest(two))]
        #expect(shedder.inFlight == 1 && shedder.queued == 1)
        #expect(try states(client, two).loadShedder === shedder)
        #expect(client.loadShedder?.policy(of: nil) === shedder)
        #expect(calls.allSatisfy { $0.result == nil })
    }

    @Test func eachOriginHasAShedderWithTheSettings() throws {
        let settings = LoadShedder(limit: 1)
        let client = client { $0.loadShedder = .perOrigin(settings) }
        let calls = [one, one, two].map { client.futures.send(HTTPRequest($0)) }
        let (first, second) = (
            try states(client, one).loadShedder, try states(client, two).loadShedder
        )
        #expect(first?.name == "https://one.example:443")
        #expect(first?.inFlight == 1 && first?.queued == 1)
        #expect(second?.inFlight == 1 && second?.queued == 0)
        #expect(settings.inFlight == 0)
        // It waits by the client's clock.
        scheduler.advance(by: .milliseconds(100))
        #expect(calls.map { $0.result == nil } == [true, false, true])
    }

    @Test func aChoiceOfTheUsersOwnIsAsked() throws {
        struct Choice: OriginPolicy {
            let shedder: LoadShedder
            func policy(of origin: HTTPOrigin?) -> LoadShedder { shedder }
        }
        let shedder = LoadShedder()
        let client = client { $0.loadShedder = Choice(shedder: shedder) }
        let call = client.futures.stream(HTTPRequest(one))
        #expect(shedder.inFlight == 1)
        call.cancel()
        #expect(shedder.inFlight == 0)
        #expect(client.loadShedder is Choice)
    }

    @Test func aCopyHasSheddersOfItsOwnOnlyOnceItsSlotChanges() throws {
        let client = client { $0.loadShedder = .perOrigin(LoadShedder()) }
        let shedder = try states(client, one).loadShedder
        let breaker = try states(client, one).circuitBreaker
        var copy = client
        copy.circuitBreaker = .perOrigin(CircuitBreaker())
        #expect(try states(copy, one).loadShedder === shedder)
        copy.loadShedder = .perOrigin(LoadShedder(limit: 2))
        #expect(try states(copy, one).loadShedder !== shedder)
        copy = client
        copy.loadShedder = .perOrigin(LoadShedder(limit: 2))
        #expect(try states(copy, one).circuitBreaker === breaker)
        #expect(try states(client, one).loadShedder === shedder)
    }

    @Test func withNilTheBulkheadIsBack() throws {
        var client = client { $0.loadShedder = .perOrigin(LoadShedder()) }
        #expect(try states(client, one).bulkhead == nil)
        client.loadShedder = nil
        #expect(client.loadShedder == nil)
        #expect(try states(client, one).loadShedder == nil)
        #expect(try states(client, one).bulkhead != nil)
    }

    @Test func aHandBuiltStackHasAShedderForEachOrigin() {
        let shedders: HTTPStack.Parts<HTTPStack.Hop> = [
            .loadShedding(.perOrigin(LoadShedder(limit: 1)))
        ]
        let send = HTTPStack(hop: shedders, on: scheduler).send(over: Slow(scheduler: scheduler))
        let calls = [one, one, two].map { send(HTTPRequest($0)) }
        scheduler.advance(by: .milliseconds(100))
        #expect(calls.map { $0.result == nil } == [true, false, true])
    }

    @Test func metricsShowTheShedder() {
        let metrics = ServiceMetrics()
        let client = client {
            $0.loadShedder = .perOrigin(LoadShedder())
            $0.observers = [metrics.observer]
        }
        let call = client.futures.send(HTTPRequest(one))
        let labels = #"{policy="loadShedding",policy_name="https://one.example:443"}"#
        #expect(metrics.prometheusText.contains("policy_in_flight\(labels) 1"))
        #expect(call.result == nil)
    }
}

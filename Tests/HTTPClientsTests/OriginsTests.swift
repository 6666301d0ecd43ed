import Foundation
import Pledge
import PledgeTesting
import Testing

/// What a client keeps about the origins: `HTTPClient.origins`.
@Suite struct OriginsTests {
    private let scheduler = ManualScheduler()
    private let server = URL(string: "https://a.example")!
    private let other = URL(string: "https://b.example")!

    private func origin(_ url: URL) throws -> HTTPOrigin { try #require(HTTPOrigin(url)) }

    private func client(_ sent: Locked<Int> = Locked(0)) -> HTTPClient {
        var client = HTTPClient(base: server) { request in
            sent.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: request.url.path == "/down" ? 503 : 200))
        }
        client.scheduler = scheduler
        return client
    }

    @Test func theyAreThoseThatWereCalled() throws {
        let client = client()
        #expect(client.origins.all == [])
        _ = client.send(HTTPRequest(other))
        _ = client.send(HTTPRequest(server))
        #expect(client.origins.all == [try origin(server), try origin(other)])
    }

    @Test func theirStatesAreThoseOfTheCalls() throws {
        let client = client()
        _ = client.send(HTTPRequest(server.appending(path: "down")))
        scheduler.run()
        let states = client.origins[try origin(server)]
        #expect(states.retryBudget?.balance == 8)
        #expect(states.bulkhead?.inFlight == 0)
        #expect(states.circuitBreaker?.state == .closed)
        #expect(states.rateLimit == nil)
        #expect(client.origins[try origin(other)].retryBudget?.balance == 10)
    }

    @Test func anOriginCanBeIsolatedBeforeItsFirstCall() throws {
        let sent = Locked(0)
        let client = client(sent)
        client.origins[try origin(server)].isolate()
        let refused = client.send(HTTPRequest(server))
        #expect((refused.result.flatMap(error) as? ServiceError)?.code == .circuitOpen)
        #expect(try client.send(HTTPRequest(other)).settledValue().status == 200)
        #expect(sent.withLock { $0 } == 1)
        client.origins[try origin(server)].reset()
        #expect(try client.send(HTTPRequest(server)).settledValue().status == 200)
    }

    @Test func resetFillsTheBudget() throws {
        let client = client()
        for _ in 1...10 { _ = client.send(HTTPRequest(server.appending(path: "down"))) }
        scheduler.run()
        let states = client.origins[try origin(server)]
        #expect(states.retryBudget?.balance == 0)
        states.reset()
        #expect(states.retryBudget?.balance == 10)
        #expect(states.circuitBreaker?.state == .closed)
    }

    @Test func aSlotThatIsChangedLeavesTheOthersStates() throws {
        var client = client()
        _ = client.send(HTTPRequest(server.appending(path: "down")))
        scheduler.run()
        let before = client.origins[try origin(server)]
        client.circuitBreaker = .perOrigin()
        client.cache = HTTPCache()
        let after = client.origins[try origin(server)]
        #expect(after.circuitBreaker !== before.circuitBreaker)
        #expect(after.retryBudget === before.retryBudget)
        #expect(after.bulkhead === before.bulkhead)
        client.retry = nil
        #expect(client.origins[try origin(server)].retryBudget == nil)
        #expect(client.origins[try origin(server)].bulkhead === before.bulkhead)
    }

    /// A breaker that is open stays open in the client whose log was turned on.
    @Test func anOpenBreakerSurvivesAChangeOfAnotherSlot() throws {
        var client = client()
        client.retry = nil
        client.circuitBreaker = .perOrigin {
            CircuitBreaker(named: $0.name, failuresInARow: 1, on: $0.scheduler)
        }
        _ = client.send(HTTPRequest(server.appending(path: "down")))
        client.log = .init { _ in }
        let call = client.send(HTTPRequest(server))
        #expect((call.result.flatMap(error) as? ServiceError)?.code == .circuitOpen)
    }

    @Test func theMetricsShowTheNumbersOfEachOrigin() throws {
        var client = client()
        _ = client.send(HTTPRequest(server))
        let metrics = ServiceMetrics()
        client.metrics = metrics
        _ = client.send(HTTPRequest(other.appending(path: "down")))
        scheduler.run()
        let text = metrics.prometheusText
        for line in [
            #"pledge_policy_balance{policy="retry",policy_name="https://a.example:443"} 10"#,
            #"pledge_policy_balance{policy="retry",policy_name="https://b.example:443"} 8"#,
            #"pledge_policy_in_flight{policy="bulkhead",policy_name="https://b.example:443"} 0"#,
            #"pledge_policy_state{policy="circuitBreaker",policy_name="https://b.example:443"} 0"#,
            #"pledge_policy_events_total{call="GET b.example",policy="retry","#
                + #"policy_name="https://b.example:443",event="retrying",reason=""} 2"#,
        ] {
            #expect(text.contains(line), "\(line) in\n\(text)")
        }
    }

    private func error(_ result: Result<HTTPResponse, any Error>) -> (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

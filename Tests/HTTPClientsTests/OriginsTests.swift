import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import Testing

@testable import PledgeHTTPClients

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

    @Test func aClientsOriginsAreThoseThatItCalled() throws {
        let client = client()
        #expect(client.origins.all == [])
        _ = client.futures.send(HTTPRequest(other))
        _ = client.futures.send(HTTPRequest(server))
        #expect(client.origins.all == [try origin(server), try origin(other)])
    }

    @Test func theStatesOfOriginsAreThoseOfTheirCalls() throws {
        let client = client()
        _ = client.futures.send(HTTPRequest(server.appending(path: "down")))
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
        let refused = client.futures.send(HTTPRequest(server))
        #expect((refused.result.flatMap(error) as? ServiceError)?.code == .circuitOpen)
        #expect(try client.futures.send(HTTPRequest(other)).settledValue().status == 200)
        #expect(sent.withLock { $0 } == 1)
        client.origins[try origin(server)].reset()
        #expect(try client.futures.send(HTTPRequest(server)).settledValue().status == 200)
    }

    @Test func resettingAnOriginFillsItsBudget() throws {
        let client = client()
        for _ in 1...10 { _ = client.futures.send(HTTPRequest(server.appending(path: "down"))) }
        scheduler.run()
        let states = client.origins[try origin(server)]
        #expect(states.retryBudget?.balance == 0)
        states.reset()
        #expect(states.retryBudget?.balance == 10)
        #expect(states.circuitBreaker?.state == .closed)
    }

    @Test func aSlotThatIsChangedLeavesTheOthersStates() throws {
        var client = client()
        _ = client.futures.send(HTTPRequest(server.appending(path: "down")))
        scheduler.run()
        let before = client.origins[try origin(server)]
        client.circuitBreaker = .perOrigin(CircuitBreaker())
        client.cache = HTTPCache()
        let after = client.origins[try origin(server)]
        #expect(after.circuitBreaker !== before.circuitBreaker)
        #expect(after.retryBudget === before.retryBudget)
        #expect(after.bulkhead === before.bulkhead)
        client.retry = nil
        #expect(client.origins[try origin(server)].retryBudget == nil)
        #expect(client.origins[try origin(server)].bulkhead === before.bulkhead)
    }

    /// A path to all slots, or into one, may change any of them.
    @Test func aSlotCanBeChangedByAnyPath() throws {
        let strict = CircuitBreaker(failuresInARow: 1, lasting: .zero)
        let all: WritableKeyPath<HTTPClient.Settings, HTTPClient.Settings> = \.self
        let into: WritableKeyPath<HTTPClient.Settings, any OriginPolicy<CircuitBreaker>> =
            \.circuitBreaker!
        for isAll in [true, false] {
            var client = client()
            client.retry = nil
            _ = client.futures.send(HTTPRequest(server))
            if isAll {
                var slots = client[dynamicMember: all]
                slots.circuitBreaker = .perOrigin(strict)
                client[dynamicMember: all] = slots
            } else {
                client[dynamicMember: into] = .perOrigin(strict)
            }
            _ = client.futures.send(HTTPRequest(server.appending(path: "down")))
            #expect(client.origins[try origin(server)].circuitBreaker?.state != .closed)
        }
    }

    /// A breaker that is open stays open in the client whose log was turned on.
    @Test func anOpenBreakerSurvivesAChangeOfAnotherSlot() throws {
        var client = client()
        client.retry = nil
        client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 1, lasting: .zero))
        _ = client.futures.send(HTTPRequest(server.appending(path: "down")))
        client.log = .init { _ in }
        let call = client.futures.send(HTTPRequest(server))
        #expect((call.result.flatMap(error) as? ServiceError)?.code == .circuitOpen)
    }

    @Test func theMetricsShowTheNumbersOfEachOrigin() throws {
        var client = client()
        _ = client.futures.send(HTTPRequest(server))
        let metrics = ServiceMetrics()
        client.observers = [metrics.observer]
        _ = client.futures.send(HTTPRequest(other.appending(path: "down")))
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

/// A budget of retries for each origin.
@Suite struct BudgetsByOriginTests {
    private let scheduler = ManualScheduler()

    private func url(_ host: String) throws -> URL { try #require(URL(string: "https://\(host)")) }

    private func origin(_ number: Int) -> HTTPOrigin? {
        URL(string: "https://host\(number).example").flatMap(HTTPOrigin.init)
    }

    /// One of two upstreams is down; of the other's requests each third fails once.
    private func succeeded(_ change: (inout HTTPClient) -> Void) throws -> Int {
        let calls = Locked(0)
        var client = HTTPClient(base: nil) { request in
            let isDown = request.url.host() == "down.example"
            let number = calls.withLock { calls in
                if !isDown { calls += 1 }
                return calls
            }
            return Future(value: HTTPResponse(status: isDown || number % 3 == 0 ? 503 : 200))
        }
        client.scheduler = scheduler
        client.random = .constant(0)
        change(&client)
        var succeeded = 0
        for _ in 0..<300 {
            _ = client.futures.send(HTTPRequest(.get, try url("down.example")))
            let call = client.futures.send(HTTPRequest(.get, try url("up.example")))
            scheduler.run()
            if (try? call.settledValue())?.status == 200 { succeeded += 1 }
        }
        return succeeded
    }

    @Test func anOriginThatIsDownTakesNoRetriesFromOthers() throws {
        #expect(try succeeded { _ in } == 300)
        let shared = try succeeded { $0.retryBudget = RetryBudget() }
        #expect(shared < 290, "\(shared)")
    }

    @Test func sendAndStreamShareTheBudgetOfAnOrigin() throws {
        let sent = Locked(0)
        var client = HTTPClient(base: try url("down.example")) { _ in
            sent.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 503))
        }
        client.scheduler = scheduler
        client.circuitBreaker = nil
        for _ in 0..<20 {
            _ = client.futures.send(HTTPRequest(.get, try url("down.example")))
            _ = client.futures.stream(HTTPRequest(.get, try url("down.example")))
            scheduler.run()
        }
        #expect(sent.withLock { $0 } == 40 + 10)
    }

    /// A client that hedges, and budgets of three; the server never answers.
    private func hedgingClient(_ sent: Locked<Int>) throws -> HTTPClient {
        let pending = Promise<HTTPResponse>()
        var client = HTTPClient(base: try url("slow.example")) { _ in
            sent.withLock { $0 += 1 }
            return pending
        }
        client.scheduler = scheduler
        client.attemptTimeout = nil
        client.retryBudget = .perOrigin(RetryBudget(capacity: 3))
        client.hedge = .perOrigin(Hedge(after: .milliseconds(1), maxExtraLoad: 1))
        return client
    }

    @Test func aHedgeDrawsFromTheBudgetOfItsOrigin() throws {
        let sent = Locked(0)
        let client = try hedgingClient(sent)
        let calls = try (0..<5).map { _ in
            client.futures.send(HTTPRequest(.get, try url("slow.example")))
        }
        let others = try (0..<5).map { _ in
            client.futures.send(HTTPRequest(.get, try url("other.example")))
        }
        scheduler.advance(by: .seconds(1))
        #expect(sent.withLock { $0 } == (5 + 3) * 2)
        for call in calls + others { call.cancel() }
    }

    @Test(arguments: [true, false])
    func aHedgeDrawsFromTheBudgetAsSoonAsThereAreRetries(first: Bool) throws {
        let sent = Locked(0)
        var client = try hedgingClient(sent)
        client.retry = first ? nil : Retry()
        client.futures.send(HTTPRequest(.get, try url("slow.example"))).cancel()
        client.retry = first ? Retry() : nil
        sent.withLock { $0 = 0 }
        let calls = try (0..<5).map { _ in
            client.futures.send(HTTPRequest(.get, try url("slow.example")))
        }
        scheduler.advance(by: .seconds(1))
        #expect(sent.withLock { $0 } == (first ? 5 + 3 : 5 + 5))
        for call in calls { call.cancel() }
    }

    @Test func anOriginThatHasLostNothingMakesRoom() {
        let budgets = StatesByOrigin<RetryBudget>()
        var all: [RetryBudget?] = (0..<4).map { number in
            budgets.state(of: origin(number), keeping: 4) { RetryBudget() }
        }
        _ = all[0]?.withdraw()
        let (oldest, next) = (Weak(budget: all[1]), Weak(budget: all[2]))
        (all[1], all[2]) = (nil, nil)
        #expect(oldest.budget != nil)
        _ = budgets.state(of: origin(4), keeping: 4) { RetryBudget() }
        // Origin 1 was the oldest that had lost nothing.
        #expect(oldest.budget == nil)
        #expect(next.budget != nil)
        #expect(budgets.state(of: origin(0), keeping: 4) { RetryBudget() } === all[0])
    }

    @Test func aStateThatIsStillInUseIsFoundAgain() {
        let budgets = StatesByOrigin<RetryBudget>()
        let all = (0..<9).map { number in
            budgets.state(of: origin(number), keeping: 4) { RetryBudget() }
        }
        let found = (0..<9).map { number in
            budgets.state(of: origin(number), keeping: 4) { RetryBudget() } === all[number]
        }
        #expect(found.allSatisfy { $0 })
        #expect(budgets.all.count == 9)
    }

    @Test func furtherOriginsShareABudgetIfThereIsNoRoom() {
        let budgets = StatesByOrigin<RetryBudget>()
        let all = (0..<4).map { number in
            budgets.state(of: origin(number), keeping: 4) { RetryBudget() }
        }
        for budget in all { _ = budget.withdraw() }
        let (one, other) = (4...5).reduce(into: [RetryBudget]()) { further, number in
            further.append(budgets.state(of: origin(number), keeping: 4) { RetryBudget() })
        }.pair
        #expect(one === other && !all.contains { $0 === one })
    }

    /// 30 images, while the network is lost for 50 ms: no server has work by them, so no budget pays for them.
    @Test func aLostNetworkIsNotCharged() throws {
        let scheduler = scheduler
        var client = HTTPClient(base: try url("images.example")) { request in
            scheduler.now.offset < .milliseconds(50)
                ? Future(error: HTTPError(code: .notConnected, request: request))
                : Future(value: HTTPResponse(status: 200))
        }
        client.scheduler = scheduler
        client.random = .seeded(1)
        client.retry = .init(attempts: 9)
        let images = try (0..<30).map {
            client.futures.send(HTTPRequest(.get, try url("images.example/\($0)")))
        }
        scheduler.run()
        #expect(try images.allSatisfy { try $0.settledValue().status == 200 })
    }
}

private struct Weak {
    weak var budget: RetryBudget?
}

extension [RetryBudget] {
    fileprivate var pair: (RetryBudget, RetryBudget) { (self[0], self[1]) }
}

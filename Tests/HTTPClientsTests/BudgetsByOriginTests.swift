import Foundation
import Pledge
import PledgeTesting
import Testing

@testable import PledgeHTTPClients

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
            _ = client.send(HTTPRequest(.get, try url("down.example")))
            let call = client.send(HTTPRequest(.get, try url("up.example")))
            scheduler.run()
            if (try? call.settledValue())?.status == 200 { succeeded += 1 }
        }
        return succeeded
    }

    @Test func oneThatIsDownTakesNoRetriesFromTheOthers() throws {
        #expect(try succeeded { _ in } == 300)
        let shared = try succeeded { $0.retry = .init(budget: .sharing(RetryBudget())) }
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
            _ = client.send(HTTPRequest(.get, try url("down.example")))
            _ = client.stream(HTTPRequest(.get, try url("down.example")))
            scheduler.run()
        }
        #expect(sent.withLock { $0 } == 40 + 10)
    }

    @Test func aHedgeDrawsFromTheBudgetOfItsOrigin() throws {
        let sent = Locked(0)
        let pending = Promise<HTTPResponse>()
        var client = HTTPClient(base: try url("slow.example")) { _ in
            sent.withLock { $0 += 1 }
            return pending
        }
        client.scheduler = scheduler
        client.attemptTimeout = nil
        client.retry = .init(budget: .perOrigin(capacity: 3))
        client.hedge = .init(after: .milliseconds(1), maxExtraLoad: 1)
        let calls = try (0..<5).map { _ in
            client.send(HTTPRequest(.get, try url("slow.example")))
        }
        let others = try (0..<5).map { _ in
            client.send(HTTPRequest(.get, try url("other.example")))
        }
        scheduler.advance(by: .seconds(1))
        #expect(sent.withLock { $0 } == (5 + 3) * 2)
        for call in calls + others { call.cancel() }
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

    @Test func withoutRoomTheFurtherOnesShareABudget() {
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
            client.send(HTTPRequest(.get, try url("images.example/\($0)")))
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

import Foundation
import Pledge
import PledgeTesting
import PledgeTraffic
import TestSupport
import Testing

/// Changes of a client that is in use.
@Suite struct RunningClientTests {
    private let scheduler = ManualScheduler()
    private let server = URL(string: "https://a.example")!
    private let count = Locked((inFlight: 0, most: 0, sent: 0))

    /// Each call takes 5 seconds.
    private func client(status: Int = 200) -> HTTPClient {
        var client = HTTPClient(base: server) { [count, scheduler] _ in
            count.withLock {
                $0.inFlight += 1
                $0.sent += 1
                $0.most = max($0.most, $0.inFlight)
            }
            return Future(value: HTTPResponse(status: status)).delay(.seconds(5), on: scheduler)
                .always { count.withLock { $0.inFlight -= 1 } }
        }
        client.scheduler = scheduler
        client.random = .constant(0)
        return client
    }

    private func code(_ call: Future<HTTPResponse>) -> ServiceError.Code? {
        guard case .failure(let error as ServiceError) = call.result else { return nil }
        return error.code
    }

    private func states(_ client: HTTPClient) throws -> HTTPClient.Origins.States {
        client.origins[try #require(HTTPOrigin(server))]
    }

    @Test func aLowerLimitHoldsFromTheNextCallOn() {
        var client = client()
        client.bulkhead = .perOrigin(Bulkhead(limit: 10, queue: 0, leaseTime: nil))
        let first = (0..<10).map { _ in client.futures.send(HTTPRequest(server)) }
        client.bulkhead = .perOrigin(Bulkhead(limit: 8, queue: 0, leaseTime: nil))
        #expect(code(client.futures.send(HTTPRequest(server))) == .bulkheadFull)
        scheduler.run()
        #expect(first.allSatisfy { $0.result != nil && code($0) == nil })
        let second = (0..<10).map { _ in client.futures.send(HTTPRequest(server)) }
        #expect(second.count { code($0) == .bulkheadFull } == 2)
        #expect(count.withLock { $0.most } == 10)
    }

    /// The calls start later, because their service may use the client, which is just being changed.
    @Test func aHigherLimitStartsTheCallsThatWait() {
        var client = client()
        client.bulkhead = .perOrigin(Bulkhead(limit: 1, queue: 9, leaseTime: nil))
        for _ in 0..<4 { _ = client.futures.send(HTTPRequest(server)) }
        client.bulkhead = .perOrigin(Bulkhead(limit: 3, queue: 9, leaseTime: nil))
        #expect(count.withLock { $0.inFlight } == 1)
        scheduler.advance(by: .zero)
        #expect(count.withLock { $0.inFlight } == 3)
        scheduler.run()
        #expect(count.withLock { $0.sent } == 4)
    }

    @Test func aFunctionTakenBeforeSeesTheChange() {
        var client = client()
        client.bulkhead = .perOrigin(Bulkhead(limit: 1, queue: 0))
        let send = client.futures.send
        let first = send(HTTPRequest(server)), second = send(HTTPRequest(server))
        #expect(first.result == nil)
        #expect(code(second) == .bulkheadFull)
        client.bulkhead = nil
        #expect(send(HTTPRequest(server)).result == nil)
        client.deadline = .seconds(1)
        let last = send(HTTPRequest(server))
        scheduler.run()
        #expect(code(last) == .deadlineExceeded)
    }

    @Test func aCopyThatIsChangedLeavesTheOriginalsFunctionsAndLimits() throws {
        var client = client()
        client.bulkhead = .perOrigin(Bulkhead(limit: 2, queue: 0))
        let send = client.futures.send
        _ = send(HTTPRequest(server))
        var copy = client
        copy.userAgent = "copy"
        copy.bulkhead = .perOrigin(Bulkhead(limit: 1, queue: 0))
        #expect(send(HTTPRequest(server)).result == nil)
        #expect(code(send(HTTPRequest(server))) == .bulkheadFull)
        #expect(try states(copy).bulkhead?.inFlight == 0)
        #expect(try states(client).bulkhead?.inFlight == 2)
    }

    @Test func changedAttemptsDoNotRefillABudget() throws {
        var client = client(status: 503)
        client.circuitBreaker = nil
        for _ in 0..<3 { _ = client.futures.send(HTTPRequest(server)) }
        scheduler.run()
        let balance = try states(client).retryBudget?.balance
        #expect(balance == 4)
        client.retry?.attempts = 5
        #expect(try states(client).retryBudget?.balance == balance)
        client.retry = .init(attempts: 2)
        #expect(try states(client).retryBudget?.balance == balance)
        client.retryBudget = .perOrigin(RetryBudget(capacity: 20))
        #expect(try states(client).retryBudget?.balance == 20)
    }

    @Test func otherThreadsCallWhileTheClientChanges() {
        let sent = Locked(0)
        var client = HTTPClient(base: server) { _ in
            sent.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 200))
        }
        client.scheduler = scheduler
        let send = client.futures.send
        let threads = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: threads) {
                for _ in 0..<300 { #expect(send(HTTPRequest(self.server)).result != nil) }
            }
        }
        for limit in 100..<300 {
            client.deadline = .seconds(limit)
            client.bulkhead = .perOrigin(Bulkhead(limit: limit))
        }
        threads.wait()
        #expect(sent.withLock { $0 } == 900)
    }

    @Test func anIterationOverEventsIsNoCopy() {
        var client = client()
        let events = client.events("/events")
        client.bulkhead = .perOrigin(Bulkhead(limit: 1, queue: 0))
        let send = client.futures.send
        client.bulkhead = .perOrigin(Bulkhead(limit: 2, queue: 0))
        let calls = (0..<3).map { _ in send(HTTPRequest(server)) }
        #expect(calls.count { code($0) == .bulkheadFull } == 1)
        withExtendedLifetime(events) {}
    }

    @Test func aPaymentDisplacesAPrefetch() {
        let client = client()
        CallContext.current.with(priority: .sheddable).run {
            for _ in 0..<1_256 { _ = client.futures.send(HTTPRequest(server)) }
        }
        let payment = CallContext.current.with(priority: .criticalPlus).run {
            client.futures.send(HTTPRequest(server))
        }
        #expect(payment.result == nil)
        scheduler.advance(by: .seconds(7))
        #expect(payment.result != nil && code(payment) == nil)
    }

    @Test func aShedderStandsInForTheBulkhead() throws {
        var client = client()
        client.loadShedder = .perOrigin(LoadShedder(limit: 1))
        let first = client.futures.send(HTTPRequest(server)),
            second = client.futures.send(HTTPRequest(server))
        #expect(try states(client).loadShedder?.queued == 1)
        #expect(try states(client).bulkhead == nil)
        scheduler.advance(by: .milliseconds(100))
        #expect(first.result == nil)
        #expect(code(second) == .queueTimedOut)
        #expect(client.origins.all == [HTTPOrigin(server)])
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

/// What exchanges tell of their host's connections.
struct HostConnectionsTests {
    private let scheduler = ManualScheduler()
    private let pools: HostPools<Int>

    init() { pools = .numbered(on: scheduler) }

    private func pool() throws -> Int { try pools.beginUse(of: "a").pool }

    private func exchange(
        for promise: InternalPromise<HTTPStreamedResponse>? = nil,
        in context: CallContext = CallContext(), body: HTTPRequest.Body = .none
    ) throws -> TransportExchange {
        let limits = TransportExchange.Limits(
            maxBodySize: 10, maxUnreadBytes: 10, idle: IdleWatches(.seconds(30), on: scheduler))
        let request = HTTPRequest(.put, URL(string: "http://a/")!, body: body)
        let exchange = try context.run {
            try TransportExchange(
                request, for: promise.map { .streamed($0) } ?? .whole(InternalPromise()),
                within: limits, on: scheduler)
        }
        exchange.use(try pools.beginUse(of: "a").connections)
        exchange.watch { exchange.fail(with: $0) }
        return exchange
    }

    /// Requests that get no answer.
    private func service(_ note: @escaping @Sendable (Int) -> Void) -> HTTPService {
        { [scheduler, pools] request in
            let promise = InternalPromise<HTTPResponse>()
            do {
                let (pool, connections) = try pools.beginUse(of: "a")
                note(pool)
                let exchange = try TransportExchange(
                    request, for: .whole(promise),
                    within: .init(maxBodySize: 10, maxUnreadBytes: 10), on: scheduler)
                exchange.use(connections)
                exchange.watch { exchange.fail(with: $0) }
                try exchange.willSend()
            } catch {
                promise.reject(with: error)
            }
            return promise
        }
    }

    private func limited(_ seconds: Int) -> CallContext {
        CallContext(deadline: CallDeadline(after: .seconds(seconds), on: scheduler))
    }

    @Test(arguments: [true, false])
    func aDeadlineLeavesASilentHost(isStreamed: Bool) throws {
        let promise = isStreamed ? InternalPromise<HTTPStreamedResponse>() : nil
        let exchange = try exchange(for: promise, in: limited(3))
        try exchange.willSend()
        scheduler.advance(by: .seconds(3))
        #expect(exchange.isOver)
        #expect(try pool() == 1)
    }

    @Test func theIdleLimitLeavesASilentHost() throws {
        try exchange().willSend()
        scheduler.advance(by: .seconds(31))
        #expect(try pool() == 1)
    }

    /// The attempt after a limit finds the new pool.
    @Test func anAttemptsLimitLeavesASilentHostBeforeTheNextAttempt() throws {
        let seen = Locked<[Int]>([])
        let service = service { pool in seen.withLock { $0.append(pool) } }
        let call = stack(
            .retry(Retry(attempts: 3, backoff: .constant(.zero)), on: scheduler),
            .timeout(.seconds(3), on: scheduler), over: service)
        _ = call(HTTPRequest(URL(string: "http://a/")!))
        for _ in 0..<9 { scheduler.advance(by: .seconds(1)) }
        #expect(seen.withLock { $0 } == [0, 1, 2])
    }

    @Test func aCancelledRequestSaysNothingAboutItsHost() throws {
        let exchange = try exchange()
        try exchange.willSend()
        scheduler.advance(by: .seconds(3))
        exchange.stop(because: CancellationError())
        #expect(try pool() == 0)
    }

    @Test func aRequestThatWasNotSentSaysNothingAboutItsHost() throws {
        let exchange = try exchange(in: limited(3))
        exchange.waitForConnection()
        scheduler.advance(by: .seconds(3))
        #expect(exchange.isOver)
        #expect(try pool() == 0)
    }

    /// Bytes of any of the host's requests count.
    @Test(arguments: ["head", "body", "piece", "upload"])
    func bytesOfAnotherRequestEndTheSilence(kind: String) throws {
        let promise = kind == "piece" ? InternalPromise<HTTPStreamedResponse>() : nil
        let other = try exchange(for: promise, body: .data(Data([1])))
        try other.willSend()
        if kind != "upload" { _ = other.receive(HTTPResponse(status: 200)) }
        let exchange = try exchange(in: limited(3))
        try exchange.willSend()
        scheduler.advance(by: .milliseconds(2_500))
        switch kind {
        case "head": #expect(other.receive(HTTPResponse(status: 103)) == nil)
        case "body": _ = Data([1]).withUnsafeBytes { other.receive($0) }
        case "piece": _ = other.pass(Data([1])) {}
        default: other.noteSentBytes()
        }
        scheduler.advance(by: .milliseconds(500))
        #expect(exchange.isOver && promise?.isSettled != false)
        #expect(try pool() == 0)
    }

    /// No byte comes because nobody asks for one.
    @Test func aReaderThatPausesSaysNothingAboutItsHost() throws {
        let promise = InternalPromise<HTTPStreamedResponse>()
        let exchange = try exchange(for: promise, in: limited(3))
        try exchange.willSend()
        _ = exchange.receive(HTTPResponse(status: 200))
        scheduler.advance(by: .seconds(3))
        #expect(exchange.isOver && promise.isSettled)
        #expect(try pool() == 0)
    }

    @Test func aReaderThatWaitsSaysThatTheHostIsSilent() throws {
        let promise = InternalPromise<HTTPStreamedResponse>()
        let exchange = try exchange(for: promise, in: limited(3))
        try exchange.willSend()
        _ = exchange.receive(HTTPResponse(status: 200))
        let next = try #require(promise.valueNow).body.next()
        scheduler.advance(by: .seconds(3))
        #expect(next.isSettled)
        #expect(try pool() == 1)
    }

    @Test func metricsTellTheTimeToConnect() throws {
        let other = try exchange()
        try other.willSend()
        var metrics = ConnectionMetrics()
        metrics.untilNameLookup = .milliseconds(500)
        metrics.untilConnected = .milliseconds(900)
        metrics.untilSecure = .milliseconds(1_500)
        other.noteConnection(metrics)
        let early = try exchange(in: limited(2))
        try early.willSend()
        scheduler.advance(by: .seconds(2))
        #expect(try pool() == 0)
        try exchange(in: limited(3)).willSend()
        scheduler.advance(by: .seconds(3))
        #expect(try pool() == 1)
    }

    /// Lets 20 calls run into a limit together; true if two of them or more count for a circuit breaker.
    private func opensABreaker(isShared: Bool) throws -> Bool {
        let first = try exchange()
        try first.willSend()
        _ = first.receive(HTTPResponse(status: 200))
        first.noteSharing(isShared)
        first.finish()
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        let service = stack(
            .circuitBreaker(sharing: breaker), .timeout(.seconds(3), on: scheduler),
            over: service { _ in })
        for _ in 0..<20 {
            _ = CallContext().with(record: CallRecord()).run {
                service(HTTPRequest(URL(string: "http://a/")!))
            }
        }
        scheduler.advance(by: .seconds(3))
        return breaker.state != .closed
    }

    @Test func failuresOverASharedConnectionCountOnce() throws {
        #expect(try !opensABreaker(isShared: true))
    }

    @Test func failuresOverHTTP1CountEach() throws {
        #expect(try opensABreaker(isShared: false))
    }
}

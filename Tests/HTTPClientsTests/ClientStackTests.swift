import Foundation
import Pledge
import PledgeObservation
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeHTTPClients

@Suite struct OrderTests {
    private let server = URL(string: "https://api.example.com")!
    private let scheduler = ManualScheduler()

    private func clientWithAllSlots(over send: @escaping HTTPService) -> HTTPClient {
        var client = HTTPClient(base: server, over: send)
        client.scheduler = scheduler
        client.random = RandomSource(SeededGenerator(seed: 1))
        client.headers = ["Accept": "application/json"]
        client.authorization = .bearer("t")
        client.cookies = CookieJar()
        client.cache = HTTPCache()
        client.pushback = .perOrigin(Pushback())
        client.attemptHeader = "X-Attempt"
        client.sendsIdempotencyKeys = true
        client.hedge = .perOrigin(Hedge(after: .seconds(1)))
        client.circuitBreaker = .perOrigin(CircuitBreaker())
        client.rateLimit = .perOrigin(RateLimiter(rate: 100, per: .seconds(1), burst: 100))
        client.bulkhead = .perOrigin(Bulkhead(limit: 2))
        client.deadline = .seconds(60)
        client.acceptedStatuses = 200...299
        client.log = .init { _ in }
        client.observers = [ServiceMetrics().observer]
        client.tracing = .init()
        client.aroundCall = named("aroundCall")
        client.aroundAttempt = named("aroundAttempt")
        client.aroundExchange = named("aroundExchange")
        return client
    }

    /// What must not stand above another belongs beneath it.
    @Test func noKnownProblemIsOneOfThisOrder() {
        let places = StackPlace.allCases
        for (index, outer) in places.enumerated() {
            for inner in places[(index + 1)...] where outer != .defaultHeaders {
                #expect(StackProblem.consequences[outer.rawValue]?[inner.rawValue] == nil)
            }
        }
    }

    private func named(_ name: String) -> HTTPClient.CustomMiddleware {
        .init(send: Middleware(named: name) { $0 }, stream: Middleware(named: name) { $0 })
    }

    /// Users rely on this order: TheWholeStack.md has a drawing of it.
    @Test func theOrderIsTheOneThatIsWrittenDown() {
        let client = clientWithAllSlots { _ in Future(value: HTTPResponse(status: 200)) }
        let shared = SharedStates(of: client)
        var order = [
            "observed", "newTrace", "aroundCall", "deadline", "acceptStatus", "userAgent",
            "idempotencyKey", "redirect", "headersOfOrigin", "authorize", "cookies", "cache",
            "bulkhead", "retry", "aroundAttempt", "hedge", "circuitBreaker", "pushback",
            "rateLimit", "attemptHeader", "tracePropagation", "exchangeLog", "timeout",
            "aroundExchange", "decompress",
        ]
        #expect(client.stack(sharing: shared).whole.parts == order)
        #expect(StackPlace.allCases.map(\.rawValue).filter { $0 != "defaultHeaders" } == order)
        order.removeAll { $0 == "cache" }
        #expect(client.stack(sharing: shared).streamed.parts == order)
    }

    @Test func noPartOfTheOrderIsKnownToStandWrong() {
        let client = clientWithAllSlots { _ in Future(value: HTTPResponse(status: 200)) }
        let stack = client.stack(sharing: SharedStates(of: client))
        #expect(stack.problems == [])
        #expect(stack.streamed.problems == [])
    }

    @Test func aCallGoesThroughAllPartsOfTheOrder() throws {
        let requests = Locked<[HTTPRequest]>([])
        let client = clientWithAllSlots { request in
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            return Future(value: HTTPResponse(status: count == 1 ? 503 : 200))
        }
        let endpoint = Endpoint(path: "/orders", method: .post, body: try .json([1]))
        // The hedge makes the second call at once.
        let future = client.networking(endpoint)
        #expect(try future.settledValue().isEmpty)
        let sent = requests.withLock { $0 }
        #expect(sent.count == 2)
        #expect(sent.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
        #expect(Set(sent.map(\.context.idempotencyKey)).count == 1)
        #expect(sent[0].context.idempotencyKey != nil)
    }

    /// A refusal of the breaker waits for no turn and uses none up.
    @Test func theRateLimitStandsBeneathTheBreaker() throws {
        let sent = Locked<[Duration]>([])
        var client = HTTPClient(base: server) { [scheduler] _ in
            sent.withLock { $0.append(scheduler.now.offset) }
            return Future(value: HTTPResponse(status: 500))
        }
        client.scheduler = scheduler
        client.retry = nil
        client.circuitBreaker = .perOrigin(
            CircuitBreaker(failuresInARow: 2, lasting: .zero, backoff: .constant(.seconds(600))))
        client.rateLimit = .perOrigin(RateLimiter(rate: 2, per: .seconds(1), maxWait: .seconds(2)))
        client.acceptedStatuses = 200...299
        let first = (1...3).map { _ in client.futures.send(HTTPRequest(server)) }
        scheduler.run()
        #expect(sent.withLock { $0 } == [.zero, .milliseconds(500), .seconds(1)])
        #expect(first.allSatisfy { failure(of: $0) is HTTPError })
        let refused = (1...30).map { _ in client.futures.send(HTTPRequest(server)) }
        #expect(
            refused.allSatisfy { (failure(of: $0) as? ServiceError)?.code == .circuitOpen })
        #expect(sent.withLock { $0.count } == 3)
    }

    @Test func theRateLimitIsThatOfTheOriginAndCountsAttempts() throws {
        let sent = Locked<[(host: String?, at: Duration)]>([])
        var client = HTTPClient(base: server) { [scheduler] request in
            sent.withLock { $0.append((request.url.host, scheduler.now.offset)) }
            return Future(value: HTTPResponse(status: 503))
        }
        client.scheduler = scheduler
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        client.rateLimit = .perOrigin(RateLimiter(rate: 4, per: .seconds(1)))
        let other = URL(string: "https://other.example.com")!
        _ = [client.futures.send(HTTPRequest(server)), client.futures.send(HTTPRequest(other))]
        scheduler.run()
        for host in [server.host, other.host] {
            let times = sent.withLock { $0 }.filter { $0.host == host }.map(\.at)
            #expect(times == [.zero, .milliseconds(250)])
        }
    }

    @Test func aPostIsNotRepeatedUnlessItHasAKey() throws {
        let count = Locked(0)
        var client = HTTPClient(base: server) { _ in
            count.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 503))
        }
        client.scheduler = scheduler
        client.acceptedStatuses = nil
        let post = HTTPRequest(
            .post, server, body: .data(Data("1".utf8), contentType: "text/plain"))
        let future = client.futures.send(post)
        scheduler.advance(by: .seconds(60))
        #expect(try future.settledValue().status == 503)
        #expect(count.withLock { $0 } == 1)
        let get = client.futures.send(HTTPRequest(server))
        scheduler.advance(by: .seconds(60))
        #expect(try get.settledValue().status == 503)
        #expect(count.withLock { $0 } == 4)
    }

    @Test func anAttemptIsGivenUpAndTheCallEndsByItsDeadline() throws {
        let silent = Promise<HTTPResponse>()
        var client = HTTPClient(base: server) { _ in silent.shielded() }
        client.scheduler = scheduler
        client.deadline = .seconds(70)
        let future = client.futures.send(HTTPRequest(server))
        scheduler.advance(by: .seconds(70))
        let error = try #require(failure(of: future) as? ServiceError)
        #expect(error.code == .deadlineExceeded)
        client.deadline = nil
        client.retry = nil
        let attempt = client.futures.send(HTTPRequest(server))
        scheduler.advance(by: .seconds(45))
        #expect((failure(of: attempt) as? ServiceError)?.code == .timedOut)
    }

    /// A transport whose streams the test opens.
    private struct Streaming: HTTPTransport {
        let head = Promise<HTTPStreamedResponse>()
        let contexts = TestLog<CallContext>()

        func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
            contexts.append(.current)
            return head.shielded()
        }

        func send(_ request: HTTPRequest) -> Future<HTTPResponse> { Promise() }
    }

    /// The parts below know how much time is left, but only the caller's own deadline ends the body.
    @Test(arguments: [nil, Duration.seconds(60)])
    func theDeadlineOfAStreamAppliesUntilItsHead(caller: Duration?) throws {
        let transport = Streaming()
        var client = HTTPClient(base: server, over: transport)
        client.scheduler = scheduler
        client.deadline = .seconds(10)
        let own = caller.map { CallDeadline(after: $0, on: scheduler) }
        let start = {
            CallContext(deadline: own).run { client.futures.stream(HTTPRequest(server)) }
        }
        let late = start()
        let context = try #require(transport.contexts.elements.first)
        #expect(context.remaining == .seconds(10))
        scheduler.advance(by: .seconds(10))
        #expect((failure(of: late) as? ServiceError)?.code == .deadlineExceeded)
        let call = start()
        let next = try #require(transport.contexts.elements.last)
        scheduler.advance(by: .seconds(4))
        transport.head.resolve(
            with: HTTPStreamedResponse(status: 200, body: HTTPBodyStream(Data())))
        #expect(try call.settledValue().status == 200)
        #expect(next.remaining == caller.map { $0 - .seconds(14) })
    }

    /// The transport does not get the deadline, and retry and breaker see no error of its own.
    @Test func theDeadlineOfTheContextIsTheCalls() throws {
        var client = HTTPClient(base: server) { [scheduler] _ in
            Future(value: HTTPResponse(status: 200)).delay(.seconds(9), on: scheduler)
        }
        client.scheduler = scheduler
        client.circuitBreaker = .perOrigin(CircuitBreaker())
        for _ in 1...6 {
            let deadline = CallDeadline(after: .milliseconds(50), on: scheduler)
            let future = CallContext(deadline: deadline).run {
                client.futures.send(HTTPRequest(server))
            }
            scheduler.advance(by: .milliseconds(50))
            let error = failure(of: future) as? ServiceError
            #expect(error?.code == .deadlineExceeded)
        }
        let healthy = client.futures.send(HTTPRequest(server))
        scheduler.advance(by: .seconds(9))
        #expect(try healthy.settledValue().status == 200)
    }

    @Test func aRequestThatCannotBeMadeSaysNothingAboutTheService() throws {
        struct NoKey: Error {}
        let (count, sent) = (Locked(0), Locked(0))
        var client = HTTPClient(base: server) { _ in
            sent.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 200))
        }
        client.scheduler = scheduler
        client.circuitBreaker = .perOrigin(CircuitBreaker())
        client.aroundExchange = .init { request in
            count.withLock { $0 += 1 }
            if request.url.path == "/signed" { throw NoKey() }
            return request
        }
        for number in 1...9 {
            let future = client.networking(Endpoint(path: "/signed"))
            let error = try #require(failure(of: future) as? HTTPError)
            #expect(error.code == .requestNotPrepared && error.cause is NoKey)
            #expect(count.withLock { $0 } == number)
        }
        #expect(try client.networking(Endpoint(path: "/plain")).settledValue().isEmpty)
        #expect(sent.withLock { $0 } == 1)
    }

    private func failure<Value>(of future: Future<Value>) -> (any Error)? {
        guard case .failure(let error) = future.result else { return nil }
        return error
    }

    @Test func theJarKeepsTheCookiesOfEachAttempt() throws {
        for isHedged in [false, true] {
            let jar = CookieJar()
            jar.store("session=dead; Path=/", from: server)
            let transport = MemoryTransport(routes: [
                .any(
                    "/x",
                    answer: .sequence([
                        .status(503, headers: ["Set-Cookie": "session=; Max-Age=0; Path=/"]),
                        .text("fine"),
                    ]))
            ])
            var client = HTTPClient(base: server, over: transport)
            client.scheduler = scheduler
            client.cookies = jar
            if isHedged {
                client.retry = nil
                client.hedge = .perOrigin(Hedge(after: .seconds(1), maxExtraLoad: 1))
            }
            let future = client.futures.send(HTTPRequest(server.appending(path: "x")))
            scheduler.advance(by: .seconds(60))
            #expect(try future.settledValue().status == 200)
            #expect(jar.cookies.isEmpty)
            #expect(
                transport.calls.map { $0.request?.headers["Cookie"] } == [
                    "session=dead", "session=dead",
                ])
        }
    }

    @Test func twoClientsWithOneCacheShareNoPrivateAnswer() throws {
        let cache = HTTPCache()
        let clients = ["anna", "bert"].map { key in
            var client = HTTPClient(base: server) { request in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Cache-Control": "private, max-age=60"],
                        body: Data("for \(request.headers["X-API-Key"] ?? "nobody")".utf8)))
            }
            client.headers = ["X-API-Key": key]
            client.cache = cache
            return client
        }
        for _ in 1...2 {
            let texts = try clients.map {
                try $0.futures.send(HTTPRequest(server)).settledValue().text
            }
            #expect(texts == ["for anna", "for bert"])
        }
        #expect(cache.statistics.hits == 2)
    }
}

import Foundation
import HTTPTestSupport
import PledgeComposition
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

/// How policies handle the requests that functions beneath them make.
@Suite struct SendingOverHTTPTests {
    typealias Answer = @Sendable () throws -> HTTPResponse

    let scheduler = ManualScheduler()
    let server = URL(string: "https://shop.example")!

    func answer(_ status: Int, _ body: String = "") -> Answer {
        { HTTPResponse(status: status, body: Data(body.utf8)) }
    }

    func failure(_ code: HTTPError.Code) -> Answer { { throw HTTPError(code: code) } }

    /// Makes an endpoint from a number.
    func order(_ method: HTTPMethod) -> @Sendable (Int) -> Endpoint {
        { Endpoint(path: "/orders/\($0)", method: method) }
    }

    /// The layers between a policy and the wire.
    enum Way: CaseIterable {
        case chained, flatMapped, mapped, decoded, underPolicies
    }

    func service(
        _ way: Way, _ method: HTTPMethod, over network: @escaping Networking
    ) -> Service<Int, Data> {
        let (order, scheduler) = (order(method), scheduler)
        switch way {
        case .chained: return chain(order, to: network)
        case .flatMapped: return { Future(value: order($0)).flatMap(network) }
        case .mapped: return { network(order($0)).map { $0 } }
        case .decoded: return { network(order($0)).decoded(as: [Int].self).map { _ in Data() } }
        case .underPolicies:
            return chain(
                order,
                to: stack(
                    .deadline(.seconds(60), on: scheduler), .coalesce(),
                    .timeout(.seconds(50), on: scheduler), over: network))
        }
    }

    /// Calls a service over `makeNetworking(over:)` and a policy, and returns the result and the number of
    /// requests sent.
    func call(
        _ way: Way, _ method: HTTPMethod, through policy: Middleware<Int, Data>,
        latency: Duration = .milliseconds(10), _ answers: Answer...
    ) -> (result: Future<Data>, sent: Int) {
        let wire = AnsweringService(on: scheduler, latency: latency, answers)
        let network = makeNetworking(over: wire.send, base: server)
        let result = stack(policy, over: service(way, method, over: network))(7)
        scheduler.run()
        return (result, wire.requests.count)
    }

    var retry: Middleware<Int, Data> { .retry(Retry(attempts: 3), on: scheduler) }
    var hedge: Middleware<Int, Data> {
        .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler))
    }

    @Test(
        "a POST that was sent and lost is sent once, whatever makes it",
        arguments: Way.allCases)
    func aPOSTThatWasSentAndLostIsSentOnce(_ way: Way) {
        let call = call(way, .post, through: retry, failure(.connectionLost), answer(200, "[]"))
        #expect((call.result.errorNow as? HTTPError)?.code == .connectionLost)
        #expect(call.sent == 1)
    }

    @Test(arguments: Way.allCases)
    func aSlowPOSTIsNotHedgedWhateverMakesIt(_ way: Way) {
        let call = call(
            way, .post, through: hedge, latency: .seconds(1), answer(200, "[]"), answer(200, "[]"))
        #expect(call.result.valueNow != nil)
        #expect(call.sent == 1)
    }

    @Test(arguments: Way.allCases)
    func aGETIsRepeatedAndHedgedWhateverMakesIt(_ way: Way) {
        let lost = call(way, .get, through: retry, failure(.connectionLost), answer(200, "[]"))
        #expect(lost.result.valueNow != nil)
        #expect(lost.sent == 2)
        let slow = call(
            way, .get, through: hedge, latency: .seconds(1), answer(200, "[]"), answer(200, "[]"))
        #expect(slow.result.valueNow != nil)
        // A joined call is not sent twice while it is under way.
        #expect(slow.sent == (way == .underPolicies ? 1 : 2))
    }

    @Test func anOrderThatDidNotLeaveIsRepeated() {
        let call = call(.chained, .post, through: retry, failure(.cannotConnect), answer(200, "[]"))
        #expect(call.result.valueNow != nil)
    }

    @Test(arguments: [421, 425]) func anOrderThatWasRefusedUnprocessedIsRepeated(_ status: Int) {
        let call = call(.chained, .post, through: retry, answer(status), answer(200, "[]"))
        #expect(call.result.valueNow != nil)
        #expect(call.sent == 2)
    }

    @Test func anOrderThatA503AnswersIsNotRepeated() {
        let call = call(.chained, .post, through: retry, answer(503), answer(200, "[]"))
        #expect((call.result.errorNow as? HTTPError)?.status == 503)
        #expect(call.sent == 1)
    }

    /// The wire writes its own marks, and the assumption of `makeNetworking(over:)` is removed.
    @Test func whatTheTransportNotesOfSendingCounts() {
        let wire = AnsweringService(
            on: scheduler, [failure(.cannotConnect), failure(.connectionLost), answer(200, "[]")])
        let noting: HTTPService = { request in
            CallContext.current.exchange(request) { wire.send(request) }
        }
        let call = stack(
            .retry(on: scheduler),
            over: service(.chained, .post, over: makeNetworking(over: noting, base: server)))(7)
        scheduler.run()
        #expect((call.errorNow as? HTTPError)?.code == .connectionLost)
        #expect(wire.requests.count == 2)
    }

    @Test func anErrorThatCarriesItsRequestIsAskedWhereNobodyNotes() {
        let count = Locked(0)
        let server = server
        let network: Service<Int, Int> = { _ in
            count.withLock { $0 += 1 }
            return Future(
                error: HTTPError(code: .connectionLost, request: HTTPRequest(.post, server)))
        }
        let call = stack(.retry(on: scheduler), over: network)(7)
        scheduler.run()
        #expect(call.errorNow != nil)
        #expect(count.withLock { $0 } == 1)
    }
}

/// The names of a cache and of a refresher, in the events of their middleware.
@Suite struct NamesOverHTTPTests {
    let scheduler = ManualScheduler()
    let request = HTTPRequest(.get, URL(string: "https://shop.example/products")!)

    /// The names in the events of a policy, for two calls one after the other.
    private func names(
        of policy: String, _ middleware: Middleware<HTTPRequest, HTTPResponse>,
        over service: @escaping HTTPService
    ) -> [String?] {
        let events = Locked<[PolicyEvent]>([])
        let observer = ServiceObserver { event in events.withLock { $0.append(event) } }
        let send = stack(.observed(by: observer, on: scheduler), middleware, over: service)
        for _ in 1...2 {
            _ = send(request)
            scheduler.run()
        }
        return events.withLock { $0.filter { $0.policy == policy }.map(\.policyName) }
    }

    @Test func eventsOfACacheHaveItsName() {
        let cache = HTTPCache(named: "products", on: scheduler)
        let names = names(of: "cache", .cache(sharing: cache)) { _ in
            Future(value: HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=60"]))
        }
        // The events are a miss and a hit.
        #expect(names == ["products", "products"])
    }

    @Test func eventsOfARefresherHaveItsName() {
        let refresher = TokenRefresher(AccessToken("t1"), named: "shop", on: scheduler) { _ in
            Future(value: AccessToken("t2"))
        }
        let names = names(of: "authorize", .authorize(.bearer(from: refresher), for: .all)) {
            let isLetIn = $0.headers["Authorization"] == "Bearer t2"
            return Future(value: HTTPResponse(status: isLetIn ? 200 : 401))
        }
        #expect(!names.isEmpty)
        #expect(names.allSatisfy { $0 == "shop" })
    }
}

/// A streamed response that a policy gives up releases its connection.
@Suite struct GivenUpStreamsTests {
    private let scheduler = ManualScheduler()
    private let released = Locked<[Int]>([])
    private let request = HTTPRequest(.get, URL(string: "https://example.com")!)

    private func answer(_ status: Int) -> @Sendable () throws -> HTTPStreamedResponse {
        { [released] in
            HTTPStreamedResponse(
                status: status,
                body: HTTPBodyStream(
                    next: { Promise() },
                    cancel: { released.withLock { $0.append(status) } }))
        }
    }

    @Test func aRetryLetsGoBeforeItWaits() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(502), answer(200)])
        let call = stack(
            .retry(Retry(backoff: .constant(.seconds(9))), on: scheduler), over: service.send)(
                request)
        scheduler.advance(by: .seconds(1))
        #expect(released.withLock { $0 } == [503])
        scheduler.run()
        #expect(released.withLock { $0 } == [503, 502])
        #expect(call.valueNow?.status == 200)
    }

    @Test func aRetryThatGivesItsResultBackKeepsTheBody() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(502)])
        let call = stack(
            .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler), over: service.send
        )(
            request)
        scheduler.run()
        #expect(call.valueNow?.status == 502)
        #expect(released.withLock { $0 } == [503])
    }

    @Test func aHedgeLetsTheLoserGo() {
        let service = AnsweringService(
            on: scheduler, latency: .milliseconds(100), [answer(201), answer(202)])
        let call = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)), over: service.send)(
                request)
        scheduler.run()
        #expect(service.requests.count == 2)
        #expect(call.valueNow?.status == 201)
        #expect(released.withLock { $0 } == [])
    }

    @Test func aLoserThatAnswersAllTheSameIsLetGo() throws {
        // A service that ignores its cancellation.
        let pending = Locked<[Promise<HTTPStreamedResponse>]>([])
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(50), on: scheduler)),
            over: { (_: HTTPRequest) in
                let promise = Promise<HTTPStreamedResponse>()
                pending.withLock { $0.append(promise) }
                return promise
            })
        let call = load(request)
        scheduler.run()
        var calls = pending.withLock { calls in
            defer { calls = [] }
            return calls
        }
        try #require(calls.count == 2)
        calls.removeLast().resolve(with: try answer(202)())
        #expect(call.valueNow?.status == 202)
        calls.removeLast().resolve(with: try answer(201)())
        #expect(released.withLock { $0 } == [201])
    }

    @Test func aHedgeLetsTheFailureGo() {
        let service = AnsweringService(on: scheduler, [answer(503), answer(200)])
        let call = stack(
            .hedge(sharing: Hedge(after: .seconds(50), on: scheduler)), over: service.send)(request)
        scheduler.run()
        #expect(call.valueNow?.status == 200)
        #expect(released.withLock { $0 } == [503])
    }

    @Test func anAnswerThatNobodyWaitsForIsLetGo() throws {
        let pending = Locked<Promise<HTTPStreamedResponse>?>(nil)
        let load = stack(
            .coalesce(by: { _ in 0 }),
            over: { (_: HTTPRequest) in
                let promise = Promise<HTTPStreamedResponse>()
                pending.withLock { $0 = promise }
                return promise
            })
        load(request).cancel()
        try pending.withLock { promise in
            promise?.resolve(with: try answer(200)())
            #expect(promise?.valueNow?.status == 200)
            #expect(released.withLock { $0 } == [])
            promise = nil
        }
        #expect(released.withLock { $0 } == [200])
    }
}

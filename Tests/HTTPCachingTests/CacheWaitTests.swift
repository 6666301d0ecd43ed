import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// A stored response that stands in when the time for the origin's answer is over.
@Suite struct CacheWaitTests {
    private static let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
    private static let page = HTTPRequest(at: "https://example.com/")

    /// A cache with a stale response, and an origin that hangs until the gate opens.
    private func bench(
        _ control: String = "a", gate: Promise<Void>, then next: CacheBench.Reply? = nil,
        asking: HTTPHeaders = [:], name: String? = nil
    ) throws -> CacheBench {
        let bench = CacheBench(name: name, staleIfUnreachable: .seconds(3_600))
        // With a handler, the promise settles when the origin's request is cancelled.
        gate.onCancel {}
        let headers: HTTPHeaders = [
            "Cache-Control": "max-age=10, \(control)", "ETag": "\"a\"",
        ]
        let hanging = CacheBench.Reply(headers: Self.headers, gate: gate)
        bench.answers([.init(headers: headers), hanging] + (next.map { [$0] } ?? []))
        try bench.ask(.get, "/", asking)
        bench.advance(11)
        return bench
    }

    private func hasty(_ seconds: Int, _ bench: CacheBench) -> CallContext {
        CallContext(deadline: CallDeadline(after: .seconds(seconds), on: bench.scheduler))
    }

    /// The limits that end a call after two seconds: a policy above the cache, and the caller's own deadline.
    enum Limit: CaseIterable { case policy, own, ownWithPolicy, ownBeneath }

    private func service(_ limit: Limit, _ bench: CacheBench) -> HTTPService {
        let cache = Middleware<HTTPRequest, HTTPResponse>.cache(sharing: bench.cache)
        let slow = Middleware<HTTPRequest, HTTPResponse>.deadline(
            .seconds(600), on: bench.scheduler)
        switch limit {
        case .policy:
            return stack(.deadline(.seconds(2), on: bench.scheduler), cache, over: bench.origin)
        case .own: return stack(cache, over: bench.origin)
        case .ownWithPolicy: return stack(slow, cache, over: bench.origin)
        case .ownBeneath: return stack(cache, slow, over: bench.origin)
        }
    }

    private func call(
        _ limit: Limit, _ bench: CacheBench, _ request: HTTPRequest = page
    ) -> Future<HTTPResponse> {
        let service = service(limit, bench)
        return limit == .policy ? service(request) : hasty(2, bench).run { service(request) }
    }

    @Test(arguments: Limit.allCases, ["a", "stale-if-error=900"])
    func atTheDeadlineTheStoredResponseAnswers(limit: Limit, control: String) throws {
        let gate = Promise<Void>()
        let bench = try bench(control, gate: gate)
        let call = call(limit, bench)
        bench.scheduler.advance(by: .milliseconds(1_999))
        #expect(call.result == nil)
        bench.scheduler.advance(by: .milliseconds(1))
        #expect(call.valueNow?.text == "1" && call.valueNow?.headers["Age"] == "13")
        #expect(bench.cache.statistics.rescues == 1)
        // The request goes on, and refreshes what is stored.
        #expect(gate.result == nil && bench.requests.count == 2)
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
        #expect(bench.cache.background.withLock { $0.isEmpty })
        #expect(bench.cache.attempts.withLock { $0.isEmpty })
    }

    @Test(
        arguments: Limit.allCases,
        ["must-revalidate", "no-cache", "stale-if-error=0", "stale-if-error=2"])
    func whatMayNotStandInDoesNotAnswer(limit: Limit, control: String) throws {
        let gate = Promise<Void>()
        let bench = try bench(control, gate: gate)
        let call = call(limit, bench)
        bench.advance(2)
        #expect((call.errorNow as? ServiceError)?.code == .deadlineExceeded || limit == .own)
        #expect(gate.result != nil || limit == .own)
        #expect(bench.cache.statistics.rescues == 0)
        call.cancel()
    }

    @Test func aWindowThatEndsMeanwhileFailsAtTheDeadlineWithoutAPolicyToo() throws {
        let gate = Promise<Void>()
        let bench = try bench("stale-if-error=2", gate: gate)
        let call = call(.own, bench)
        bench.advance(2)
        let error = call.errorNow as? ServiceError
        #expect(error?.code == .deadlineExceeded && error?.policy == "cache")
        #expect(gate.errorNow is CancellationError)
    }

    @Test(arguments: Limit.allCases) func headConditionsAndRangesAreAnsweredToo(limit: Limit) throws
    {
        let cases: [(HTTPMethod, HTTPHeaders, Int)] = [
            (.head, [:], 200), (.get, ["If-None-Match": "\"a\""], 304),
            (.get, ["Range": "bytes=0-0"], 206),
        ]
        for (method, headers, status) in cases {
            let gate = Promise<Void>()
            let bench = try bench(gate: gate)
            let call = call(
                limit, bench, HTTPRequest(method, Self.page.url, headers: headers))
            bench.advance(2)
            #expect(call.valueNow?.status == status)
            #expect(gate.errorNow is CancellationError)
        }
    }

    @Test func oneRefreshGoesOnForAllWhoWaited() throws {
        let gate = Promise<Void>()
        let bench = try bench(gate: gate)
        let calls = (1...3).map { _ in call(.policy, bench) }
        bench.advance(1)
        let late = call(.policy, bench)
        bench.advance(1)
        #expect(calls.allSatisfy { $0.valueNow?.text == "1" } && late.result == nil)
        bench.advance(1)
        #expect(late.valueNow?.text == "1")
        #expect(bench.requests.count == 2 && bench.cache.background.withLock { $0.count } == 1)
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
    }

    @Test func theRefreshEndsAfterItsOwnLimit() throws {
        let gate = Promise<Void>()
        let bench = try bench(gate: gate)
        let call = call(.policy, bench)
        bench.advance(2)
        #expect(call.valueNow?.text == "1")
        bench.advance(59)
        #expect(gate.result == nil)
        bench.advance(1)
        #expect(gate.errorNow is CancellationError)
        #expect(bench.cache.background.withLock { $0.isEmpty } && bench.scheduler.isIdle)
    }

    @Test func aCancelledCallStaysCancelled() throws {
        let gate = Promise<Void>()
        let bench = try bench("stale-if-error=900", gate: gate)
        let call = call(.policy, bench)
        bench.advance(1)
        call.cancel()
        #expect(call.errorNow is CancellationError && gate.errorNow is CancellationError)
        bench.advance(60)
        #expect(bench.cache.statistics.rescues == 0 && bench.requests.count == 2)
        #expect(bench.cache.background.withLock { $0.isEmpty } && bench.scheduler.isIdle)
    }

    @Test func whoCancelsLeavesTheOthersTheirAnswer() throws {
        let bench = try bench(gate: Promise<Void>())
        let calls = (1...2).map { _ in call(.policy, bench) }
        calls[0].cancel()
        bench.advance(2)
        #expect(calls[0].errorNow is CancellationError && calls[1].valueNow?.text == "1")
    }

    @Test func anotherUserGetsNothing() throws {
        let (anna, bert): (HTTPHeaders, HTTPHeaders) = (
            ["Authorization": "Bearer a"], ["Authorization": "Bearer b"]
        )
        let bench = try bench(gate: Promise<Void>(), asking: anna)
        let calls = [anna, bert, [:]].map {
            call(.policy, bench, HTTPRequest(.get, Self.page.url, headers: $0))
        }
        bench.advance(2)
        #expect(calls[0].valueNow?.text == "1")
        for call in calls.dropFirst() {
            #expect((call.errorNow as? ServiceError)?.code == .deadlineExceeded)
        }
    }

    @Test func aUserWhoSignsOutMeanwhileGetsNothing() throws {
        let jar = CookieJar()
        let bench = CacheBench(staleIfUnreachable: .seconds(3_600))
        let gate = Promise<Void>()
        bench.answers(
            .init(headers: ["Set-Cookie": "a=1"]), .init(headers: Self.headers),
            .init(headers: Self.headers, gate: gate))
        let service = stack(
            .deadline(.seconds(2), on: bench.scheduler), .cookies(sharing: jar),
            .cache(sharing: bench.cache), over: bench.origin)
        _ = service(HTTPRequest(at: "https://example.com/login"))
        #expect(service(Self.page).valueNow?.text == "2")
        bench.advance(11)
        let call = service(Self.page)
        jar.removeAll()
        bench.advance(2)
        #expect((call.errorNow as? ServiceError)?.code == .deadlineExceeded)
    }
}

/// The same in a client, over a server that hangs.
@Suite struct ClientsCacheWaitTests {
    private static let base = URL(string: "https://example.com")!

    /// A client whose cache has a stale response, with an origin that hangs until the gate opens.
    private func client(_ bench: CacheBench, _ gates: [Promise<Void>]) -> HTTPClient {
        var client = HTTPClient(base: Self.base, over: bench.origin)
        client.scheduler = bench.scheduler
        client.random = .constant(0)
        client.cache = bench.cache
        let stored = CacheBench.Reply(headers: ["Cache-Control": "max-age=10"])
        bench.answers(
            [stored]
                + gates.map { .init(headers: ["Cache-Control": "max-age=600"], gate: $0) })
        #expect(client.futures.send(Endpoint(path: "/a")).valueNow?.text == "1")
        bench.advance(100)
        return client
    }

    @Test func theClientsDefaultsAnswerAfterTheFirstAttempt() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(3_600))
        let gates = (1...3).map { _ in Promise<Void>() }
        let client = client(bench, gates)
        let limit = try #require(client.attemptTimeout)
        let call = client.futures.send(Endpoint(path: "/a"))
        bench.scheduler.advance(by: limit - .milliseconds(1))
        #expect(call.result == nil)
        bench.scheduler.advance(by: .milliseconds(1))
        #expect(call.valueNow?.text == "1")
        // The next attempt is under way, and whoever asks meanwhile doesn't wait for it.
        #expect(bench.requests.count == 3)
        #expect(
            client.futures.send(Endpoint(path: "/a")).valueNow?.text == "1"
                && bench.requests.count == 3)
        gates[1].resolve()
        #expect(
            client.futures.send(Endpoint(path: "/a")).valueNow?.text == "3"
                && bench.requests.count == 3)
    }

    @Test(arguments: [1, 5]) func theClientsDeadlineAnswersIfItIsEarlier(seconds: Int) {
        let bench = CacheBench(staleIfUnreachable: .seconds(3_600))
        let gate = Promise<Void>()
        var client = client(bench, [gate])
        client.deadline = .seconds(seconds)
        let call = client.futures.send(Endpoint(path: "/a"))
        bench.scheduler.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(call.result == nil)
        bench.scheduler.advance(by: .milliseconds(1))
        #expect(call.valueNow?.text == "1" && bench.requests.count == 2)
        gate.resolve()
        #expect(
            client.futures.send(Endpoint(path: "/a")).valueNow?.text == "2"
                && bench.requests.count == 2)
    }

    /// Attempts that fail at once are repeated, so that a short failure doesn't cost a fresh answer.
    @Test func aRefusedAttemptIsRepeatedBeforeTheStoredResponseAnswers() {
        let bench = CacheBench(staleIfUnreachable: .seconds(3_600))
        let client = client(bench, [])
        bench.answers(
            .init(failure: HTTPError(code: .cannotConnect)),
            .init(headers: ["Cache-Control": "max-age=10"]))
        let call = client.futures.send(Endpoint(path: "/a"))
        bench.advance(10)
        #expect(call.valueNow?.text == "3")
    }
}

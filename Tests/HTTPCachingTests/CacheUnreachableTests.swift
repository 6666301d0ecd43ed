import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.2.4: stale responses while the origin can't be reached.
@Suite struct CacheUnreachableTests {
    /// The answer from a stored response at a time, if the origin can't be reached then.
    private func answer(
        _ control: String, at seconds: Int, by failure: any Error = refused,
        asking: HTTPHeaders = [:], method: HTTPMethod = .get, mode: HTTPCache.Mode = .private,
        limit: Duration? = .seconds(60), inFolder: Bool = false
    ) throws -> HTTPResponse? {
        let bench = CacheBench(
            mode: mode, folder: CacheBench.folder(inFolder), staleIfUnreachable: limit)
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10, \(control)", "ETag": "\"a\""]
        bench.answers(.init(headers: headers, body: "0123"), .init(failure: failure))
        try bench.ask()
        bench.advance(seconds)
        let response = try? bench.ask(method, "/", asking)
        #expect(bench.cache.statistics.rescues == (response == nil ? 0 : 1))
        return response
    }

    private static let refused = HTTPError(code: .cannotConnect)

    @Test(arguments: [false, true]) func aStaleResponseAnswersForSoLong(inFolder: Bool) throws {
        let last = try #require(try answer("a", at: 69, inFolder: inFolder))
        #expect(last.status == 200 && last.text == "0123" && last.headers["Age"] == "69")
        #expect(try answer("a", at: 70, inFolder: inFolder) == nil)
    }

    @Test func nobodyGetsItUnlessTheAppSaysHowLong() throws {
        #expect(try answer("a", at: 11, limit: nil) == nil)
        #expect(try answer("a", at: 11, limit: .zero) == nil)
        #expect(try answer("a", at: 11, limit: .seconds(-5)) == nil)
    }

    @Test(
        arguments: [
            HTTPError(code: .notConnected), HTTPError(code: .cannotFindHost),
            HTTPError(code: .cannotConnect), HTTPError(code: .connectionLost),
            HTTPError(code: .timedOut), ServiceError(.timedOut, policy: "timeout"),
            HTTPError(code: .timedOut, cause: ServiceError(.timedOut, policy: "timeout")),
            ServiceError(.deadlineExceeded, policy: "deadline"),
            HTTPError(
                code: .timedOut, cause: ServiceError(.deadlineExceeded, policy: "deadline")),
            ServiceError(.circuitOpen, policy: "circuitBreaker"), FutureError(.timedOut),
        ] as [any Error])
    func theseMeanThatTheOriginCannotBeReached(error: any Error) throws {
        #expect(try answer("a", at: 11, by: error)?.text == "0123")
    }

    @Test(
        arguments: [
            CancellationError(), CacheBench.Lost(), Endpoint.Error.invalidURL,
            ServiceError(.bulkheadFull, policy: "bulkhead"),
            ServiceError(.rateLimited, policy: "rateLimit"),
            HTTPError(code: .insecureConnection), HTTPError(code: .badResponse),
            HTTPError(code: .proxyRefused), HTTPError(code: .bodyTooLarge),
            HTTPError(code: .connectionLost, response: HTTPResponse(status: 200)),
            HTTPError(code: .unacceptableStatus, response: HTTPResponse(status: 503)),
        ] as [any Error])
    func theseErrorsDoNotMeanThatTheOriginCannotBeReached(error: any Error) throws {
        #expect(try answer("a", at: 11, by: error) == nil)
    }

    @Test(arguments: [500, 502, 503, 504]) func anErrorOfTheOriginsIsAnAnswer(status: Int) throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(60))
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=10", "ETag": "\"a\""]), .init(status: status))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.ask().status == status)
    }

    @Test(arguments: ["must-revalidate", "no-cache", "max-age=x y"])
    func neverIfTheResponseForbidsIt(control: String) throws {
        #expect(try answer(control, at: 11) == nil)
        #expect(try answer(control, at: 11, mode: .shared) == nil)
    }

    @Test(arguments: ["proxy-revalidate", "s-maxage=10"])
    func theseForbidItToASharedCacheOnly(control: String) throws {
        #expect(try answer(control, at: 11, mode: .shared) == nil)
        #expect(try answer(control, at: 11)?.text == "0123")
    }

    @Test(arguments: [
        "no-cache", "max-age=100", "min-fresh=0", "max-stale=1", "no-store", "stale-if-error=1",
    ])
    func aRequestMayRefuseAStaleResponse(control: String) throws {
        #expect(try answer("a", at: 12, asking: ["Cache-Control": control]) == nil)
    }

    @Test func onlyIfCachedNeverAsks() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(60))
        bench.answers(.init(headers: ["Cache-Control": "max-age=10", "ETag": "\"a\""]))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.ask(.get, "/", ["Cache-Control": "only-if-cached"]).status == 504)
        #expect(bench.requests.count == 1)
    }

    @Test func aStaleIfErrorCountsInsteadOfTheLimit() throws {
        #expect(try answer("stale-if-error=5", at: 14)?.text == "0123")
        #expect(try answer("stale-if-error=5", at: 15) == nil)
        #expect(try answer("stale-if-error=900", at: 900)?.text == "0123")
        #expect(
            try answer("a", at: 900, asking: ["Cache-Control": "stale-if-error=900"])?.text
                == "0123")
    }

    /// Requests that the cache can't turn into a validation of its own.
    @Test func headConditionsAndRangesAreAnsweredToo() throws {
        let head = try #require(try answer("a", at: 11, method: .head))
        #expect(head.status == 200 && head.body.isEmpty)
        let part = try #require(try answer("a", at: 11, asking: ["Range": "bytes=1-2"]))
        #expect(part.status == 206 && part.text == "12" && part.headers["Age"] == "11")
        #expect(try answer("a", at: 11, asking: ["If-None-Match": "\"a\""])?.status == 304)
        #expect(try answer("a", at: 11, asking: ["If-None-Match": "\"b\""])?.status == 200)
        #expect(try answer("a", at: 11, asking: ["If-Match": "\"a\""]) == nil)
        #expect(try answer("a", at: 11, asking: ["Range": "bytes=9-"]) == nil)
    }

    @Test func aResponseWithoutAnyFreshnessIsKeptForIt() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(60))
        bench.answers(.init(), .init(failure: Self.refused))
        try bench.ask()
        bench.advance(59)
        #expect(try bench.get() == "1")
        bench.advance(1)
        #expect(throws: HTTPError.self) { try bench.ask() }
    }

    @Test func observersAndTheStatusTellIt() throws {
        let bench = CacheBench(name: "app", staleIfUnreachable: .seconds(60))
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let note) = event.kind { notes.withLock { $0.append(note) } }
        }
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: bench.cache),
            over: bench.origin)
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=10"]), .init(failure: Self.refused))
        _ = service(HTTPRequest(at: "https://example.com/"))
        bench.advance(15)
        let response = service(HTTPRequest(at: "https://example.com/")).valueNow
        #expect(response?.headers["Cache-Status"] == "app; hit; ttl=-5")
        #expect(
            notes.withLock { $0 } == ["revalidating", "rescued: the origin can't be reached"])
    }

    @Test(arguments: [false, true]) func anotherUserGetsNoStaleResponse(inFolder: Bool) throws {
        let bench = CacheBench(
            folder: CacheBench.folder(inFolder), staleIfUnreachable: .seconds(60))
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
        bench.answers(.init(headers: headers), .init(failure: Self.refused))
        let (anna, bert): (HTTPHeaders, HTTPHeaders) = (
            ["Authorization": "Bearer a"], ["Authorization": "Bearer b"]
        )
        _ = try bench.get(anna)
        bench.advance(11)
        #expect(throws: HTTPError.self) { try bench.get(bert) }
        #expect(throws: HTTPError.self) { try bench.get() }
        #expect(try bench.get(anna) == "1")
    }

    @Test func whoLeavesGetsNothingAndTheOthersAreAnswered() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(60))
        let gate = Promise<Void>()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=10", "ETag": "\"a\""]),
            .init(failure: Self.refused, gate: gate))
        try bench.ask()
        bench.advance(11)
        let calls = (1...3).map { _ in bench.send() }
        calls[0].cancel()
        gate.resolve()
        #expect(calls[0].errorNow is CancellationError)
        #expect(calls[1].valueNow?.text == "1" && calls[2].valueNow?.text == "1")
        #expect(bench.requests.count == 2 && bench.cache.statistics.rescues == 2)
    }

    /// The client's own retries, breaker and limits of time are below the cache.
    @Test func theClientsDefaultsAreServed() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(3_600))
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=10"], body: "\"tea\""),
            .init(failure: Self.refused))
        var client = HTTPClient(base: URL(string: "https://example.com")!, over: bench.origin)
        client.scheduler = bench.scheduler
        client.cache = bench.cache
        let first = client.futures.get("/drink", as: String.self)
        #expect(first.valueNow == "tea")
        bench.advance(60)
        // Some of these calls find the server away, and the later ones find the breaker open.
        for _ in 1...30 {
            let again = client.futures.get("/drink", as: String.self)
            bench.advance(60)
            #expect(again.valueNow == "tea")
        }
        bench.advance(3_600)
        let late = client.futures.get("/drink", as: String.self)
        bench.advance(60)
        #expect(late.errorNow != nil)
    }
}

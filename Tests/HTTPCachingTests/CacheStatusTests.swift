import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// The status that a response tells of the cache.
@Suite struct CacheStatusTests {
    private let bench = CacheBench(name: "app")

    /// The status of an answer, which the field Cache-Status says too.
    private func status(
        _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:]
    ) throws -> HTTPCacheStatus? {
        let answer = try bench.ask(method, "/", headers)
        // A response without the value, as from a cache behind a server.
        let read = HTTPResponse(status: 200, headers: answer.headers).cacheStatus
        #expect(read == answer.cacheStatus, "\(answer.headers["Cache-Status"] ?? "none")")
        return answer.cacheStatus
    }

    @Test("the status tells a miss, a hit, and a stale answer that the request accepts")
    func theStatusTellsAMissFromAHit() throws {
        bench.answers(["Cache-Control": "max-age=10"])
        #expect(try status() == .miss(.uriMiss))
        #expect(try status() == .hit)
        #expect(try status(.get, ["Cache-Control": "no-cache"]) == .miss(.stale))
        #expect(try status(.head) == .hit)
        bench.advance(20)
        #expect(try status(.get, ["Cache-Control": "max-stale=60"]) == .stale)
    }

    @Test func theStatusTellsAConfirmedAnswerFromAReplacedOne() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"1\""]
        bench.answers(headers)
        _ = try status()
        bench.advance(20)
        bench.answers(headers, status: 304)
        #expect(try status() == .revalidated)
        #expect(try status() == .hit)
        bench.advance(20)
        bench.answers(["Cache-Control": "max-age=10"])
        #expect(try status() == .miss(.stale))
    }

    @Test("the status tells a stale answer on an error, and during revalidation")
    func theStatusTellsAStaleAnswerOnAnError() throws {
        bench.answers(["Cache-Control": "max-age=10, stale-if-error=60"])
        _ = try status()
        bench.advance(20)
        bench.answers([.init(failure: CacheBench.Lost())])
        #expect(try status() == .stale)
        bench.answers(["Cache-Control": "max-age=10, stale-while-revalidate=60"])
        #expect(try status() == .miss(.stale))
        bench.advance(20)
        #expect(try status() == .stale)
    }

    @Test func theStatusGivesTheReasonForAskingTheServer() throws {
        bench.answers(["Cache-Control": "max-age=10", "Vary": "Accept"])
        #expect(try status(.post) == .miss(.method))
        #expect(try status(.options) == .miss(.method))
        _ = try status()
        #expect(try status(.get, ["Accept": "text/html"]) == .miss(.varyMiss))
        #expect(try status(.get, ["X-API-Key": "ann"]) == .miss(.varyMiss))
        #expect(try status(.get, ["Cache-Control": "no-store"]) == .miss(.request))
        #expect(try status(.get, ["Range": "bytes=9-2"]) == .miss(.partial))
    }

    @Test func theStatusOfAnAnswerToAnotherCallersRequestIsCollapsed() throws {
        let gate = Promise<Void>()
        bench.answers([.init(headers: ["Cache-Control": "max-age=10"], gate: gate)])
        let calls = (0..<3).map { _ in bench.send() }
        gate.resolve()
        let found = try calls.map { try #require($0.result).get().cacheStatus }
        #expect(found == [.miss(.uriMiss), .collapsed, .collapsed])
    }

    @Test("a cache without a name tells its status, also in an error's response")
    func aCacheWithoutANameTellsItsStatus() throws {
        let cache = HTTPCache()
        let service = stack(
            .cache(sharing: cache), .acceptStatus(),
            over: { _ in
                Future(value: HTTPResponse(status: 404, headers: ["Cache-Control": "max-age=10"]))
            })
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        for expected in [HTTPCacheStatus.miss(.uriMiss), .hit] {
            guard case .failure(let error as HTTPError) = service(request).result else {
                Issue.record("no error")
                return
            }
            #expect(error.response?.cacheStatus == expected)
            #expect(error.response?.headers["Cache-Status"] == nil)
        }
    }

    @Test("the nearest cache's status counts, and no cache makes none")
    func theNearestCachesStatusCounts() throws {
        bench.answers(["Cache-Control": "max-age=10", "Cache-Status": "CDN; hit"])
        #expect(try bench.ask().cacheStatus == .miss(.uriMiss))
        #expect(try bench.ask().cacheStatus == .hit)
        let refused = try bench.ask(.get, "/other", ["Cache-Control": "only-if-cached"])
        #expect(refused.status == 504 && refused.cacheStatus == nil)
        let far = HTTPCache()
        let service = stack(.cache(sharing: bench.cache), .cache(sharing: far), over: bench.origin)
        let request = HTTPRequest(.get, URL(string: "https://example.com/far")!)
        _ = stack(.cache(sharing: far), over: bench.origin)(request)
        #expect(try #require(service(request).result).get().cacheStatus == .miss(.uriMiss))
    }
}

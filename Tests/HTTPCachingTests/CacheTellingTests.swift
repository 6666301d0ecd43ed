import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// What a cache reports, and what it does not report.
@Suite struct CacheTellingTests {
    @Test func cacheStatusSaysHowARequestWasHandled() throws {
        let bench = CacheBench(name: "app")
        let fresh: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\"", "Vary": "Foo"]
        bench.answers(
            .init(headers: fresh), .init(headers: ["Cache-Status": "cdn; hit"]),
            .init(status: 304), .init(status: 404), .init())
        let status = { (headers: HTTPHeaders) in
            try bench.ask(.get, "/", headers).headers["Cache-Status"]
        }
        #expect(try status([:]) == "app; fwd=uri-miss; stored")
        bench.advance(4)
        #expect(try status([:]) == "app; hit; ttl=6")
        #expect(try status(["Foo": "1"]) == "cdn; hit, app; fwd=vary-miss")
        bench.advance(8)
        #expect(try status(["Cache-Control": "max-stale"]) == "app; hit; ttl=-2")
        #expect(try status([:]) == "app; fwd=stale; fwd-status=304")
        bench.advance(10)
        #expect(try status([:]) == "app; fwd=stale; fwd-status=404")
        #expect(try status(["Cache-Control": "no-store"]) == "app; fwd=request")
        #expect(try bench.ask(.post).headers["Cache-Status"] == "app; fwd=method")
        #expect(try bench.ask(.options).headers["Cache-Status"] == "app; fwd=method")
    }

    @Test func withoutANameNothingIsAdded() throws {
        for name in [nil, "no token", ""] {
            let bench = CacheBench(name: name)
            bench.answers(["Cache-Control": "max-age=10"])
            _ = try bench.ask()
            #expect(try bench.ask().headers["Cache-Status"] == nil)
        }
    }

    @Test func observersHearHitsAndMisses() throws {
        let bench = CacheBench()
        let heard = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if event.policy == "cache" { heard.withLock { $0.append("\(event.kind)") } }
        }
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: bench.cache),
            over: bench.origin)
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        bench.answers(
            .init(headers: [
                "Cache-Control": "max-age=10, stale-while-revalidate=1, stale-if-error=9",
                "ETag": "\"a\"",
            ]), .init(status: 304), .init(status: 304), .init(status: 500), .init(status: 404))
        for wait in [0, 5, 5, 11, 12, 20] {
            bench.advance(wait)
            _ = service(request)
        }
        #expect(
            heard.withLock { $0 } == [
                "miss", "hit", "hit", "note(\"stale\")", "note(\"revalidating\")",
                "note(\"revalidating\")", "note(\"confirmed\")", "note(\"revalidating\")",
                "note(\"rescued\")", "note(\"revalidating\")", "miss",
            ])
    }

    @Test func statistics() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=10"])
        try bench.ask()
        try bench.ask()
        #expect(bench.cache.statistics.hits == 1 && bench.cache.statistics.misses == 1)
        let usage = try #require(bench.cache.usage().result).get()
        #expect(usage.count == 1 && usage == bench.store.currentUsage)
        #expect("\(bench.cache)" == "HTTPCache(private)")
    }

    @Test func noDescriptionShowsASecret() throws {
        let bench = CacheBench()
        bench.answers(
            ["Cache-Control": "max-age=10", "Set-Cookie": "a=SECRET", "Vary": "Cookie"],
            body: "SECRET")
        let key = CacheKey(URL(string: "https://u:SECRET@example.com/?t=SECRET")!)!
        _ = bench.service(
            HTTPRequest(
                .get, URL(string: "https://u:SECRET@example.com/?t=SECRET")!,
                headers: ["Authorization": "SECRET", "Cookie": "SECRET"]))
        let stored = try #require(bench.store.responses(for: key).result).get()
        #expect(stored.count == 1)
        var text = "\(stored) \(key) \(stored[0].variant) \(bench.cache)"
        dump(stored, to: &text)
        dump(key, to: &text)
        debugPrint(stored, stored[0].variant, key, to: &text)
        #expect(!text.contains("SECRET") && text.contains("cookie"))
    }
}

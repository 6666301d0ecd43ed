import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
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

    @Test func aCacheWithoutANameAddsNoHeader() throws {
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

    @Test func theStatisticsCountEachKindOfAnswer() throws {
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

/// RFC 9111, sections 3.5, 5.2.2.7, 5.2.2.8 and 5.2.2.10: a cache that serves several users.
@Suite struct CacheSharedModeTests {
    private func reuses(
        _ control: String, after seconds: Int = 0, asked: HTTPHeaders = [:],
        asking: HTTPHeaders = [:], _ more: HTTPHeaders = [:]
    ) throws -> Bool {
        var headers = more
        headers.set(control, for: "Cache-Control")
        return try CacheBench(mode: .shared).reuses(
            headers, after: seconds, asked: asked, asking: asking)
    }

    @Test func sMaxAgeGoesFirst() throws {
        #expect(try reuses("s-maxage=10, max-age=1", after: 9))
        #expect(try !reuses("s-maxage=10, max-age=100", after: 10))
        #expect(try !reuses("s-maxage=x, max-age=100", after: 1))
        #expect(try reuses("s-maxage=10", after: 9, ["Expires": "0"]))
    }

    @Test func aSharedCacheStoresNoPrivateResponse() throws {
        #expect(try !reuses("private, max-age=10") && !reuses("private=\"\", max-age=10"))
    }

    @Test func fieldsThatPrivateNamesAreNotStored() throws {
        let bench = CacheBench(mode: .shared)
        bench.answers(["Cache-Control": "max-age=10, private=\"A\"", "A": "1", "B": "2"])
        try bench.ask()
        let again = try bench.ask()
        #expect(again.text == "1" && again.headers["A"] == nil && again.headers["B"] == "2")
    }

    @Test func authorizationNeedsAWordOfPermission() throws {
        let user: HTTPHeaders = ["Authorization": "Bearer a"]
        #expect(try !reuses("max-age=10", asked: user, asking: user))
        for control in ["public, max-age=10", "max-age=10, must-revalidate", "s-maxage=10"] {
            #expect(try reuses(control, asked: user, asking: ["Authorization": "Bearer b"]))
        }
    }

    @Test("only headers that Vary names tell requests apart, unless the cache is private")
    func onlyHeadersThatVaryNamesTellRequestsApart() throws {
        let evil: HTTPHeaders = ["X-Forwarded-Host": "evil.example"]
        #expect(try reuses("public, max-age=10", asked: evil))
        #expect(try !reuses("public, max-age=10", asked: evil, ["Vary": "X-Forwarded-Host"]))
        let headers: HTTPHeaders = ["Cache-Control": "public, max-age=10"]
        #expect(try !CacheBench(mode: .private).reuses(headers, asked: evil))
    }

    @Test func proxyRevalidateAndSMaxAgeAreNeverStale() throws {
        let asking: HTTPHeaders = ["Cache-Control": "max-stale"]
        #expect(try reuses("max-age=10", after: 11, asking: asking))
        #expect(try !reuses("max-age=10, proxy-revalidate", after: 11, asking: asking))
        #expect(try !reuses("s-maxage=10", after: 11, asking: asking))
    }
}

/// The cache above `.acceptStatus()` has the same effect as beneath it.
@Suite struct CacheAcceptedAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

    private func bench(_ replies: CacheBench.Reply...) -> (CacheBench, HTTPService) {
        let bench = CacheBench()
        bench.answers(replies)
        return (bench, stack(.cache(sharing: bench.cache), .acceptStatus(), over: bench.origin))
    }

    private let request = HTTPRequest(at: "https://example.com/")

    @Test func cacheConfirmsByA304WithinAnError() {
        let stale: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
        let (bench, send) = bench(
            .init(headers: stale), .init(status: 304, headers: ["ETag": "\"a\""]))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(bench.last?.headers["If-None-Match"] == "\"a\"")
        #expect(bench.cache.statistics.confirmations == 1)
    }

    @Test func cacheKeepsA404AndGivesItAsTheErrorThatItWas() throws {
        let (bench, send) = bench(
            .init(status: 404, headers: ["Cache-Control": "max-age=10"], body: "none"))
        for _ in 1...2 {
            let error = try error(send(request))
            #expect(error.code == .unacceptableStatus && error.request == request)
            #expect(error.response?.text == "none")
        }
        #expect(bench.requests.count == 1)
    }

    @Test func cacheRescuesFromA503WithinAnError() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10, stale-if-error=10"]),
            .init(status: 503), .init(status: 404))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(try error(send(request)).status == 404)
        #expect(bench.requests.count == 3)
    }

    @Test func aWriteThatWasRefusedForgetsNothing() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10"]), .init(status: 422))
        _ = send(request)
        #expect(try error(send(HTTPRequest(.post, at: "https://example.com/"))).status == 422)
        #expect(send(request).valueNow?.text == "1" && bench.requests.count == 2)
    }
}

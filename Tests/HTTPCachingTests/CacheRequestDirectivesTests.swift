import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 5.2.1: the responses that a request accepts.
@Suite struct CacheRequestDirectivesTests {
    /// Whether a response that is fresh for ten seconds is used after some seconds.
    private func reuses(
        _ control: String, after seconds: Int, stored: String = "max-age=10"
    ) throws -> Bool {
        try CacheBench().reuses(
            ["Cache-Control": stored, "ETag": "\"a\""], after: seconds,
            asking: ["Cache-Control": control])
    }

    @Test func maxAge() throws {
        #expect(try reuses("max-age=5", after: 4) && !reuses("max-age=5", after: 5))
        #expect(try !reuses("max-age=0", after: 0) && !reuses("max-age", after: 0))
        #expect(try !reuses("max-age=x", after: 0) && !reuses("max-age=9, max-age=5", after: 6))
        #expect(try !reuses("max-age=100", after: 10))
        #expect(try !reuses("max-age=5", after: 1, stored: "max-age=10, immutable") == false)
    }

    @Test func maxAgeCountsTheAgeThatItCameWith() throws {
        #expect(
            try !CacheBench().reuses(
                ["Cache-Control": "max-age=3600", "Age": "1800"],
                asking: ["Cache-Control": "max-age=600"]))
    }

    @Test func minFresh() throws {
        #expect(try reuses("min-fresh=5", after: 4) && !reuses("min-fresh=5", after: 5))
        #expect(try !reuses("min-fresh=x", after: 0) && !reuses("min-fresh", after: 0))
        #expect(try !reuses("min-fresh=1, min-fresh=9", after: 2))
        #expect(
            try !CacheBench().reuses(
                ["Cache-Control": "max-age=10", "Age": "6"],
                asking: ["Cache-Control": "min-fresh=5"]))
    }

    @Test func maxStale() throws {
        #expect(try reuses("max-stale", after: 9_999))
        #expect(try reuses("max-stale=5", after: 14) && !reuses("max-stale=5", after: 15))
        #expect(try !reuses("max-stale=x", after: 10) && !reuses("max-stale=0", after: 10))
        #expect(try !reuses("max-stale=50, max-stale=5", after: 20))
        #expect(try !reuses("max-stale, max-age=12", after: 13))
        #expect(try !reuses("max-stale, min-fresh=1", after: 11))
    }

    @Test func stalenessCountsFromExpires() throws {
        let headers: HTTPHeaders = ["Expires": CacheBench.date(-10)]
        let asking = { (text: String) -> HTTPHeaders in ["Cache-Control": text] }
        #expect(try CacheBench().reuses(headers, after: 2, asking: asking("max-stale=13")))
        #expect(try !CacheBench().reuses(headers, after: 3, asking: asking("max-stale=13")))
    }

    @Test func whatIsGivenStaleTellsItsAge() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=10", "Age": "3"])
        try bench.ask()
        bench.advance(20)
        let stale = try bench.ask(.get, "/", ["Cache-Control": "max-stale"])
        #expect(stale.text == "1" && stale.headers["Age"] == "23")
        #expect(bench.cache.statistics.staleHits == 1)
    }

    @Test func noCache() throws {
        #expect(try !reuses("no-cache", after: 0) && !reuses("No-Cache, max-stale", after: 0))
        let bench = CacheBench()
        bench.answers(
            .init(headers: [
                "Cache-Control": "max-age=10", "ETag": "\"a\"",
                "Last-Modified": CacheBench.date(-5),
            ]), .init(status: 304))
        try bench.ask()
        #expect(try bench.get(["Cache-Control": "no-cache"]) == "1")
        #expect(bench.last?.headers["If-None-Match"] == "\"a\"")
        #expect(bench.last?.headers["If-Modified-Since"] == CacheBench.date(-5))
        #expect(bench.last?.headers["Cache-Control"] == "no-cache")
    }

    @Test func malformedDirectivesAskTheOrigin() throws {
        #expect(try !reuses("max-age = 5", after: 0) && !reuses("no-cache;x", after: 0))
    }

    @Test func pragmaCountsWhereThereIsNoCacheControl() throws {
        let bench = CacheBench()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10"]
        #expect(try !bench.reuses(headers, asking: ["Pragma": "x, No-Cache"]))
        #expect(try CacheBench().reuses(headers, asking: ["Pragma": "foo"]))
        let both: HTTPHeaders = ["Pragma": "no-cache", "Cache-Control": "max-age=5"]
        #expect(try CacheBench().reuses(headers, asking: both))
    }

    @Test func onlyIfCachedNeverAsksTheOrigin() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=10, stale-while-revalidate=90", "ETag": "\"a\""])
        let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
        #expect(try bench.ask(.get, "/", only).status == 504)
        #expect(try bench.ask(.head, "/", only).status == 504)
        #expect(try bench.ask(.post, "/", only).status == 504)
        #expect(bench.requests.isEmpty)
        try bench.ask()
        #expect(try bench.get(only) == "1")
        #expect(
            try bench.ask(.get, "/", ["Cache-Control": "only-if-cached, no-store"]).status == 504)
        #expect(
            try bench.ask(.get, "/", ["Cache-Control": "only-if-cached, no-cache"]).status == 504)
        bench.advance(20)
        #expect(try bench.ask(.get, "/", only).status == 504)
        #expect(try bench.get(["Cache-Control": "only-if-cached, max-stale"]) == "1")
        #expect(bench.requests.count == 1)
    }
}

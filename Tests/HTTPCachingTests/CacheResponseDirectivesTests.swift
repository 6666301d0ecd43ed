import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 5.2.2: the directives of a response about its use.
@Suite struct CacheResponseDirectivesTests {
    private func reuses(
        _ control: String, after seconds: Int = 0, asking: HTTPHeaders = [:]
    ) throws -> Bool {
        try CacheBench().reuses(
            ["Cache-Control": control, "ETag": "\"a\""], after: seconds, asking: asking)
    }

    @Test(arguments: [
        "no-cache", "No-Cache", "no-cache, max-age=100", "max-age=100, no-cache=\"\"",
        "max-age=100, no-cache=\"a\", no-cache", "max-age=100, no-cache=\"ETag\"",
        "max-age=100, no-cache=\"a b\"", "max-age=100; no-cache", "no-cache=x y, max-age=100",
        "max-age=100, stale-while-revalidate=100, stale-if-error=100, no-cache",
    ])
    func noCacheIsConfirmedEachTime(control: String) throws {
        #expect(try !reuses(control) && !reuses(control, asking: ["Cache-Control": "max-stale"]))
    }

    @Test func noCacheIsUsedWhenConfirmed() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "no-cache", "ETag": "\"a\""]), .init(status: 304))
        for _ in 1...3 { #expect(try bench.get() == "1") }
        #expect(bench.requests.count == 3)
    }

    @Test func noCacheWithFieldNamesIsUsed() throws {
        #expect(try reuses("max-age=100, no-cache=\"X-A\""))
    }

    @Test func mustRevalidateIsNeverUsedStale() throws {
        let control = "max-age=10, must-revalidate, stale-while-revalidate=100, stale-if-error=100"
        #expect(try reuses(control, after: 9))
        #expect(try !reuses(control, after: 10))
        #expect(try !reuses(control, after: 10, asking: ["Cache-Control": "max-stale"]))
    }

    @Test func mustRevalidateFailsRatherThanBeStale() throws {
        for control in ["must-revalidate", "no-cache"] {
            let bench = CacheBench()
            bench.answers(
                .init(headers: [
                    "Cache-Control": "max-age=10, stale-if-error=100, \(control)", "ETag": "\"a\"",
                ]), .init(failure: CacheBench.Lost()), .init(status: 503))
            try bench.ask()
            bench.advance(10)
            let asking: HTTPHeaders = ["Cache-Control": "stale-if-error=100, max-stale"]
            #expect(throws: CacheBench.Lost.self) { try bench.ask(.get, "/", asking) }
            #expect(try bench.ask(.get, "/", asking).status == 503)
        }
    }

    @Test func proxyRevalidateSaysNothingToAPrivateCache() throws {
        let asking: HTTPHeaders = ["Cache-Control": "max-stale"]
        #expect(try reuses("max-age=10, proxy-revalidate", after: 11, asking: asking))
        #expect(try reuses("max-age=10, s-maxage=10", after: 11, asking: asking))
    }

    @Test func privateIsStoredInAPrivateCache() throws {
        #expect(try reuses("private, max-age=10") && reuses("private=\"a\", max-age=10"))
    }

    @Test func immutableEndsWithItsFreshness() throws {
        #expect(try reuses("max-age=10, immutable", after: 9))
        #expect(try !reuses("max-age=10, immutable", after: 10))
    }

    @Test func unknownDirectivesAreIgnored() throws {
        #expect(try reuses("max-age=10, foo, bar=\"no-store\", baz=1, no-transform", after: 9))
    }

    @Test func theStricterOfTwoHolds() throws {
        #expect(try !reuses("public, max-age=10, max-age=5", after: 6))
        #expect(try !reuses("no-cache, max-age=100, public, immutable", after: 1))
    }

    @Test func severalLinesCount() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "cache-control": "no-store"]
        #expect(try !CacheBench().reuses(headers))
    }
}

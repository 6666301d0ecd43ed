import HTTPTestSupport
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPCaching

@Suite struct CacheControlTests {
    private func control(_ lines: String...) -> CacheControl {
        CacheControl(HTTPHeaders(lines.map { ("Cache-Control", $0) }))
    }

    @Test(arguments: [
        ("max-age=5", 5), ("max-age=\"5\"", 5), ("MAX-AGE=5", 5), ("max-age=05", 5),
        ("public, max-age=5", 5), (" , ,max-age=5,,", 5), ("x=\"max-age=9\", max-age=5", 5),
        ("max-age=5, x=\"max-age=9\"", 5), ("x=\"a, max-age=9, b\",max-age=5", 5),
        ("x=\"a\\\", max-age=9\", max-age=5", 5), ("max-age=5, max-age=9", 5),
        ("max-age=9, max-age=5", 5), ("max-age=2147483647", 2_147_483_647),
        ("max-age=2147483648", 2_147_483_648), ("max-age=2147483649", 2_147_483_648),
        ("max-age=99999999999999999999999999", 2_147_483_648),
    ])
    func theSecondsOfADirectiveAreRead(line: String, seconds: Int64) {
        #expect(control(line).permitted("max-age") == seconds)
        #expect(!control(line).isMalformed)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-5", "max-age=1.5", "max-age=5s", "max-age='5'",
        "max-age=+5", "max-age=\"\"", "max-age=\" 5\"", "max-age=0x5", "max-age=5, max-age=x",
        "max-age =5", "max-age= 5", "max-age=5;x=1", "max-age=\"5\"x", "max-age=\"5", "max-age=٥",
    ])
    func whatIsNoCountOfSecondsPermitsNothing(line: String) {
        #expect(control(line).permitted("max-age") == 0)
        #expect(control(line).demanded("max-age") == DeltaSeconds.most)
    }

    @Test(arguments: [
        "no-store; max-age=5", "private; max-age=5", "max-age =5", "max-age=5;x", "=5", "\"a\"",
        "x=\"a, no-store", "a b", "x=\"a\"b",
    ])
    func whatIsNoListIsMalformed(line: String) { #expect(control(line).isMalformed) }

    @Test(arguments: [
        "no-store", "NO-STORE", "a,no-store", "a=1\t,\tno-store", "no-store=1", "no-store; a",
        "x=\"a, no-store", "no-store=\"", "max-age=5 no-store, no-store",
    ])
    func aDirectiveOfCacheControlIsFound(line: String) {
        #expect(control(line).contains("no-store"))
    }

    @Test(arguments: ["", "x-no-store", "no-store-x", "x=\"no-store\"", "x=no-store", "no_store"])
    func noDirectiveIsFoundWhereThereIsNone(line: String) {
        #expect(!control(line).contains("no-store"))
    }

    @Test func linesAreOneListButAnOpenQuotationEndsWithItsLine() {
        #expect(control("a", "no-store").contains("no-store"))
        #expect(control("x=\"a", "no-store").contains("no-store"))
        #expect(control("x=\"a", "b\", max-age=5").permitted("max-age") == 5)
    }

    @Test func theFieldNamesOfADirectiveAreRead() {
        #expect(
            control("no-cache=\"Set-Cookie, X-A\"").fieldNames("no-cache") == ["set-cookie", "x-a"])
        #expect(control("no-cache=X-A").fieldNames("no-cache") == ["x-a"])
        for line in [
            "no-cache", "no-cache=\"\"", "no-cache=\"a b, c=\"", "no-cache=\"a\", no-cache",
        ] {
            #expect(control(line).fieldNames("no-cache") == nil)
        }
    }

    @Test func whatASecondLessDirectiveSays() {
        #expect(control("max-stale").permitted("max-stale", bare: .max) == .max)
        #expect(control("max-stale=x").permitted("max-stale", bare: .max) == 0)
        #expect(control("max-stale, max-stale=3").permitted("max-stale", bare: .max) == 3)
        #expect(control("a").permitted("max-stale") == nil && control("a").demanded("a") != nil)
    }

    @Test func anyTextOfCacheControlCanBeRead() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "max-age", "=", "\"", ",", " ", "\\", "5", "no-store", ";", "\u{e9}", "\t", "x",
        ]
        for _ in 0..<2_000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let read = control(text)
            #expect(
                (0...DeltaSeconds.most).contains(read.permitted("max-age") ?? 0), "\(text)")
        }
    }
}

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

    @Test func maxAgeOfARequestBoundsTheAge() throws {
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

    @Test func minFreshAsksForAResponseThatStaysFresh() throws {
        #expect(try reuses("min-fresh=5", after: 4) && !reuses("min-fresh=5", after: 5))
        #expect(try !reuses("min-fresh=x", after: 0) && !reuses("min-fresh", after: 0))
        #expect(try !reuses("min-fresh=1, min-fresh=9", after: 2))
        #expect(
            try !CacheBench().reuses(
                ["Cache-Control": "max-age=10", "Age": "6"],
                asking: ["Cache-Control": "min-fresh=5"]))
    }

    @Test func maxStaleAcceptsAStaleResponse() throws {
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

    @Test func noCacheOfARequestAsksTheOrigin() throws {
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

    @Test func severalLinesOfCacheControlCount() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "cache-control": "no-store"]
        #expect(try !CacheBench().reuses(headers))
    }
}

import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.2: which responses are fresh, and for how long.
@Suite struct CacheFreshnessTests {
    private func reuses(
        _ headers: HTTPHeaders, status: Int = 200, after seconds: Int
    ) throws -> Bool {
        try CacheBench().reuses(headers, status: status, after: seconds)
    }

    @Test func freshUntilMaxAge() throws {
        #expect(try reuses(["Cache-Control": "max-age=10"], after: 9))
        #expect(try !reuses(["Cache-Control": "max-age=10"], after: 10))
    }

    @Test func freshUntilExpires() throws {
        #expect(try reuses(["Expires": CacheBench.date(10)], after: 9))
        #expect(try !reuses(["Expires": CacheBench.date(10)], after: 10))
    }

    @Test func maxAgeGoesBeforeExpires() throws {
        #expect(
            try reuses(["Cache-Control": "max-age=10", "Expires": CacheBench.date(-5)], after: 9))
        #expect(
            try !reuses(["Cache-Control": "max-age=0", "Expires": CacheBench.date(50)], after: 1))
        #expect(
            try !reuses(["Cache-Control": "max-age=x", "Expires": CacheBench.date(50)], after: 1))
    }

    @Test func sMaxAgeSaysNothingToAPrivateCache() throws {
        #expect(try reuses(["Cache-Control": "s-maxage=1, max-age=10"], after: 9))
        #expect(try !reuses(["Cache-Control": "s-maxage=100, max-age=10"], after: 10))
    }

    @Test(arguments: [
        "0", "-1", "", "tomorrow", "Sat, 01 Jan 2050 00:00:00 UTC",
        "Sat, 01 Jan 2050 00:00:00 AEST",
        "Sat, 01 Jan 50 00:00:00 GMT", "Sat 01 Jan 2050 00:00:00 GMT",
        "Sat, 01-Jan-2050 00:00:00 GMT", "Sat, 01 Jan 2050 0:00:00 GMT",
        "Sat, 01 Jan 2050 00.00.00 GMT", "Sat,  01  Jan  2050  00:00:00 GMT", "01 Jan 2050",
        "Sat, 01 Jan 2050 00:00:00 GMT, Sat, 01 Jan 2050 00:00:00 GMT", "2050-01-01T00:00:00Z",
        "Sat, 01 Jan 2050 00:00:00", "Sat, 01 Jän 2050 00:00:00 GMT",
        "Sat, 32 Jan 2050 00:00:00 GMT", "2524608000",
    ])
    func anExpiresThatIsNoDateIsPast(text: String) throws {
        #expect(try !reuses(["Expires": text, "Last-Modified": CacheBench.date(-9_999)], after: 1))
    }

    @Test(arguments: [
        "Sat, 01 Jan 2050 00:00:00 GMT", "Saturday, 01-Jan-50 00:00:00 GMT",
        "Sat Jan  1 00:00:00 2050", "Fri, 31 Dec 9999 23:59:59 GMT",
        "sat, 01 jan 2050 00:00:00 gmt", "SAT, 01 JAN 2050 00:00:00 GMT",
        "SATURDAY, 01-jan-50 00:00:00 Gmt", "SAT JAN  1 00:00:00 2050",
    ])
    func everyFormOfADateCounts(text: String) throws {
        #expect(try reuses(["Expires": text], after: 100))
    }

    @Test func twoExpiresThatDifferArePast() throws {
        let (one, other) = (CacheBench.date(50), CacheBench.date(60))
        #expect(try !reuses(["Expires": one, "expires": other], after: 1))
        #expect(try reuses(["Expires": one, "expires": one], after: 1))
    }

    @Test func expiresCountsFromTheServersDate() throws {
        // The server's clock is an hour behind; its header means ten seconds.
        let headers: HTTPHeaders = [
            "Date": CacheBench.date(3_600), "Expires": CacheBench.date(3_610),
        ]
        #expect(try reuses(headers, after: 9) && !reuses(headers, after: 10))
    }

    @Test func withoutADateTheArrivalCounts() throws {
        let bench = CacheBench()
        bench.answers(
            CacheBench.Reply(headers: ["Expires": CacheBench.date(10)], isDated: false),
            CacheBench.Reply())
        #expect(try bench.get() == "1")
        bench.advance(9)
        let again = try bench.ask()
        #expect(again.text == "1" && again.headers["Date"] == CacheBench.date(0))
        bench.advance(1)
        #expect(try bench.get() == "2")
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func aTenthOfTheAgeIsAGuess(status: Int) throws {
        let headers: HTTPHeaders = ["Last-Modified": CacheBench.date(-1_000)]
        #expect(try reuses(headers, status: status, after: 99))
        #expect(try !reuses(headers, status: status, after: 100))
    }

    @Test(arguments: [201, 202, 302, 307, 400, 403, 406, 429, 500, 502, 503, 504, 599])
    func nothingIsGuessedOfOtherStatuses(status: Int) throws {
        #expect(
            try !reuses(["Last-Modified": CacheBench.date(-9_999)], status: status, after: 1))
    }

    @Test func publicAllowsAGuess() throws {
        let headers: HTTPHeaders = [
            "Last-Modified": CacheBench.date(-1_000), "Cache-Control": "public",
        ]
        #expect(try reuses(headers, status: 599, after: 99))
    }

    @Test func nothingIsGuessedWhereSomethingIsSaid() throws {
        let changed = CacheBench.date(-100_000)
        #expect(
            try !reuses(["Last-Modified": changed, "Cache-Control": "max-age=5"], after: 6))
        #expect(try !reuses(["Last-Modified": changed, "Expires": "0"], after: 1))
        #expect(try !reuses(["Last-Modified": changed, "Pragma": "no-cache"], after: 1))
    }

    @Test func aGuessHasItsLimits() throws {
        #expect(try !reuses(["Last-Modified": CacheBench.date(500)], after: 1))
        #expect(try !reuses(["Last-Modified": "long ago"], after: 1))
        #expect(try reuses(["Last-Modified": CacheBench.date(-99_999_999)], after: 86_399))
        #expect(try !reuses(["Last-Modified": CacheBench.date(-99_999_999)], after: 86_400))
        #expect(try !reuses([:], after: 1))
    }

    @Test(arguments: [200, 201, 204, 299, 302, 307, 400, 403, 404, 451, 499, 500, 503, 599])
    func aSaidFreshnessHoldsForEveryStatus(status: Int) throws {
        #expect(try reuses(["Cache-Control": "max-age=10"], status: status, after: 9))
        #expect(try !reuses(["Cache-Control": "max-age=10"], status: status, after: 10))
    }

    @Test func aLargeAgeIsNotCutShort() throws {
        #expect(try reuses(["Cache-Control": "max-age=99999999999"], after: 2_147_483_000))
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeServices
import PledgeStorage
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.2: which responses are fresh, and for how long.
@Suite struct CacheFreshnessTests {
    private func reuses(
        _ headers: HTTPHeaders, status: Int = 200, after seconds: Int
    ) throws -> Bool {
        try CacheBench().reuses(headers, status: status, after: seconds)
    }

    @Test func aResponseIsFreshUntilItsMaxAge() throws {
        #expect(try reuses(["Cache-Control": "max-age=10"], after: 9))
        #expect(try !reuses(["Cache-Control": "max-age=10"], after: 10))
    }

    @Test func aResponseIsFreshUntilItsExpires() throws {
        #expect(try reuses(["Expires": CacheBench.date(10)], after: 9))
        #expect(try !reuses(["Expires": CacheBench.date(10)], after: 10))
    }

    /// The headers, the status, how long the cache's default is, and how long the response is fresh.
    private static let withDefault: [(HTTPHeaders, Int, Duration?, Int)] = [
        ([:], 200, .seconds(60), 60), ([:], 404, .seconds(60), 60), ([:], 302, .seconds(60), 0),
        ([:], 500, .seconds(60), 0), (["Cache-Control": "public"], 302, .seconds(60), 60),
        (["Cache-Control": "private"], 200, .seconds(60), 60),
        (["Cache-Control": "private"], 302, .seconds(60), 0),
        (["Cache-Control": "max-age=5"], 200, .seconds(60), 5),
        (["Cache-Control": "max-age=0"], 200, .seconds(60), 0),
        (["Cache-Control": "no-cache"], 200, .seconds(60), 0),
        (["Cache-Control": "no-store"], 200, .seconds(60), 0),
        (["Pragma": "no-cache"], 200, .seconds(60), 0),
        (["Expires": CacheBench.date(5)], 200, .seconds(60), 5),
        (["Expires": "0"], 200, .seconds(60), 0),
        (["Last-Modified": CacheBench.date(-100)], 200, .seconds(60), 10),
        (["Last-Modified": "yesterday"], 200, .seconds(60), 60),
        ([:], 200, nil, 0), ([:], 200, .seconds(-5), 0), ([:], 200, .milliseconds(999), 0),
        ([:], 200, .milliseconds(2_500), 2),
    ]

    @Test(arguments: withDefault)
    func aResponseThatNamesNoLifetimeHasTheCachesDefault(
        _ headers: HTTPHeaders, _ status: Int, _ lifetime: Duration?, _ seconds: Int
    ) throws {
        func reuses(after seconds: Int) throws -> Bool {
            try CacheBench(defaultLifetime: lifetime)
                .reuses(headers, status: status, after: seconds)
        }
        #expect(try !reuses(after: seconds))
        if seconds > 0 { #expect(try reuses(after: seconds - 1)) }
    }

    @Test("the default lifetime holds for a cache in a folder, across runs")
    func theDefaultLifetimeHoldsForACacheInAFolder() async throws {
        let folder = try TestFolder()
        let count = Locked(0)
        for _ in 0..<2 {
            let cache = HTTPCache(folder: folder.url, defaultLifetime: .seconds(3_600))
            let service = stack(
                .cache(sharing: cache),
                over: { _ in
                    count.withLock { $0 += 1 }
                    return Future(value: HTTPResponse(status: 200))
                })
            _ = try await service(HTTPRequest(.get, URL(string: "https://example.com/")!)).value
            try await cache.flush().value
        }
        #expect(count.withLock { $0 } == 1)
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

    @Test func publicAllowsAGuessOfTheLifetime() throws {
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

    /// Below the smallest, the first one permits the use; above it, the response counts as stale.
    ///
    /// RFC 9111 permits both.
    @Test(arguments: ["max-age=10, max-age=5", "max-age=5, max-age=10", "max-age=5 , max-age=05"])
    func ofSeveralMaxAgesTheSmallestCounts(control: String) throws {
        #expect(try reuses(["Cache-Control": control], after: 4))
        #expect(try !reuses(["Cache-Control": control], after: 5))
        let lines = control.split(separator: ",").map { ("Cache-Control", String($0)) }
        #expect(try reuses(HTTPHeaders(lines), after: 4))
        #expect(try !reuses(HTTPHeaders(lines), after: 5))
        #expect(try !reuses(["Cache-Control": "\(control), max-age=x"], after: 0))
    }

    @Test func aLargeAgeIsNotCutShort() throws {
        #expect(try reuses(["Cache-Control": "max-age=99999999999"], after: 2_147_483_000))
    }
}

/// RFC 9111, sections 4.2.3 and 5.1: how old a response is.
@Suite struct CacheAgeTests {
    @Test func whatIsGivenAgainTellsItsAge() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100"])
        #expect(try bench.ask().headers["Age"] == nil)
        bench.advance(7)
        #expect(try bench.ask().headers["Age"] == "7")
    }

    @Test func theAgeThatItCameWithIsAdded() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Age": "30"])
        try bench.ask()
        bench.advance(7)
        let again = try bench.ask()
        #expect(again.headers.values(for: "Age") == ["37"])
        bench.advance(63)
        #expect(try bench.get() == "2")
    }

    @Test func aLargeAgeMakesAResponseStale() throws {
        #expect(try !CacheBench().reuses(["Cache-Control": "max-age=10", "Age": "10"]))
        #expect(try !CacheBench().reuses(["Expires": CacheBench.date(10), "Age": "10"]))
        #expect(
            try !CacheBench().reuses(["Cache-Control": "max-age=10", "Age": "99999999999999999999"])
        )
    }

    @Test func anOldDateIsAnAge() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "Date": CacheBench.date(-6)]
        #expect(try CacheBench().reuses(headers, after: 3))
        #expect(try !CacheBench().reuses(headers, after: 4))
    }

    @Test func aDateToComeIsNoAge() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "Date": CacheBench.date(60)]
        #expect(try CacheBench().reuses(headers, after: 9))
        #expect(try !CacheBench().reuses(headers, after: 10))
    }

    @Test func theTimeOnTheWayCounts() throws {
        let bench = CacheBench()
        bench.answers(
            // Its Date is the time of its arrival, so only the delay of the exchange adds to its age.
            CacheBench.Reply(
                headers: ["Cache-Control": "max-age=10", "Date": CacheBench.date(6)], delay: 6),
            CacheBench.Reply())
        #expect(try bench.get() == "1")
        bench.advance(3)
        #expect(try bench.ask().headers["Age"] == "9")
        bench.advance(1)
        #expect(try bench.get() == "2")
    }

    @Test(arguments: ["x", "-7", "1.5", "7x", "x7", "", "7 7"])
    func anAgeThatIsNoNumberDoesNotCount(age: String) throws {
        #expect(
            try CacheBench().reuses(["Cache-Control": "max-age=10", "Age": age], after: 9))
    }

    @Test func ofSeveralAgesTheFirstCounts() throws {
        let control = "max-age=10"
        #expect(try CacheBench().reuses(["Cache-Control": control, "Age": "0, 7200"], after: 9))
        #expect(try !CacheBench().reuses(["Cache-Control": control, "Age": "7200, 0"], after: 1))
        #expect(
            try !CacheBench().reuses(
                ["Cache-Control": control, "Age": "7200", "age": "0"], after: 1))
    }

    @Test func aClockThatIsSetBackMakesNothingYounger() throws {
        let offset = Locked<Int64>(0)
        let bench = CacheBench(wallOffset: offset)
        bench.answers(["Cache-Control": "max-age=10"])
        try bench.ask()
        offset.withLock { $0 = -86_400 }
        bench.advance(9)
        #expect(try bench.get() == "1")
        bench.advance(1)
        #expect(try bench.get() == "2")
    }

    @Test func aResponseAgesWhileTheDeviceSleeps() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=10"])
        try bench.ask()
        // The wall clock of the bench stands still meanwhile.
        bench.scheduler.advanceAsleep(by: .seconds(9))
        #expect(try bench.get() == "1")
        bench.scheduler.advanceAsleep(by: .seconds(1))
        #expect(try bench.get() == "2")
    }

    @Test func aClockThatIsSetForwardMakesOlder() throws {
        let offset = Locked<Int64>(0)
        let bench = CacheBench(wallOffset: offset)
        bench.answers(["Cache-Control": "max-age=10"])
        try bench.ask()
        offset.withLock { $0 = 10 }
        #expect(try bench.get() == "2")
    }
}

/// RFC 5861, and RFC 9111, section 4.2.4: which stale responses are used.
@Suite struct CacheStaleTests {
    private func stored(_ control: String) -> CacheBench.Reply {
        .init(headers: ["Cache-Control": "max-age=10, \(control)", "ETag": "\"a\""])
    }

    /// The answer from a stored response so many seconds after its arrival, if the origin then fails.
    private func rescued(
        _ control: String, at seconds: Int, by failure: CacheBench.Reply,
        asking: HTTPHeaders = [:], _ method: HTTPMethod = .get
    ) throws -> String? {
        let bench = CacheBench()
        bench.answers(stored(control), failure)
        try bench.ask()
        bench.advance(seconds)
        let answer = try? bench.ask(method, "/", asking)
        return answer.flatMap { (200...299).contains($0.status) ? $0.text : nil }
    }

    @Test(arguments: [500, 502, 503, 504]) func staleIfErrorCoversErrors(status: Int) throws {
        let failure = CacheBench.Reply(status: status)
        #expect(try rescued("stale-if-error=5", at: 14, by: failure) == "1")
        #expect(try rescued("stale-if-error=5", at: 15, by: failure) == nil)
        #expect(try rescued("stale-if-error=x", at: 10, by: failure) == nil)
        #expect(try rescued("a", at: 10, by: failure) == nil)
    }

    @Test func staleIfErrorCoversAFailure() throws {
        let failure = CacheBench.Reply(failure: CacheBench.Lost())
        #expect(try rescued("stale-if-error=5", at: 14, by: failure) == "1")
        #expect(try rescued("stale-if-error=5", at: 15, by: failure) == nil)
        #expect(try rescued("a", at: 10, by: failure) == nil)
    }

    @Test(arguments: [.init(status: 503), .init(failure: CacheBench.Lost())] as [CacheBench.Reply])
    func staleIfErrorCoversEveryRequest(failure: CacheBench.Reply) throws {
        let control = "stale-if-error=5"
        #expect(try rescued(control, at: 14, by: failure, .head) == "")
        #expect(try rescued(control, at: 15, by: failure, .head) == nil)
        let part: HTTPHeaders = ["Range": "bytes=0-0"]
        #expect(try rescued(control, at: 14, by: failure, asking: part) == "1")
        #expect(try rescued(control, at: 15, by: failure, asking: part) == nil)
        let condition: HTTPHeaders = ["If-None-Match": "\"b\""]
        #expect(try rescued(control, at: 14, by: failure, asking: condition) == "1")
    }

    @Test(arguments: [400, 404, 429, 501]) func otherStatusesAreAnswers(status: Int) throws {
        #expect(try rescued("stale-if-error=5", at: 11, by: .init(status: status)) == nil)
    }

    @Test func theRequestsOwnWordHolds() throws {
        let failure = CacheBench.Reply(status: 503)
        let control = { (text: String) -> HTTPHeaders in ["Cache-Control": text] }
        #expect(try rescued("a", at: 14, by: failure, asking: control("stale-if-error=5")) == "1")
        #expect(try rescued("a", at: 15, by: failure, asking: control("stale-if-error=5")) == nil)
        let refused = ["stale-if-error=0", "no-cache", "max-age=5", "min-fresh=1"]
        for text in refused {
            let got = try rescued("stale-if-error=50", at: 11, by: failure, asking: control(text))
            #expect(got == nil, "\(text)")
        }
    }

    @Test func aCallThatIsGivenUpIsNotRescued() throws {
        let failure = CacheBench.Reply(failure: CancellationError())
        #expect(try rescued("stale-if-error=5", at: 11, by: failure) == nil)
        let refused = CacheBench.Reply(failure: Endpoint.Error.invalidURL)
        #expect(try rescued("stale-if-error=5", at: 11, by: refused) == nil)
    }

    @Test func aRescueLeavesWhatIsStored() throws {
        let bench = CacheBench()
        bench.answers(
            stored("stale-if-error=50"), .init(status: 503), .init(failure: CacheBench.Lost()),
            .init(status: 304))
        try bench.ask()
        bench.advance(11)
        for _ in 1...3 { #expect(try bench.get() == "1") }
        #expect(bench.requests.count == 4 && bench.cache.statistics.rescues == 2)
    }

    @Test func anErrorThatMayBeStoredIsNotStoredInItsPlace() throws {
        let bench = CacheBench()
        let control = "max-age=10, stale-if-error=50"
        bench.answers(
            stored("stale-if-error=50"), .init(status: 503, headers: ["Cache-Control": control]))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.get() == "1" && bench.get() == "1" && bench.requests.count == 3)
        bench.advance(60)
        #expect(try bench.get() == "4" && bench.get() == "4")
    }

    @Test func anErrorIsNotStoredInPlaceOfWhatReplacesIt() throws {
        let bench = CacheBench()
        bench.answers(
            stored("stale-if-error=50"),
            .init(status: 503, headers: ["Cache-Control": "max-age=60"]),
            .init(failure: CacheBench.Lost()))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.ask(.get, "/", ["If-None-Match": "\"b\""]).text == "1")
        #expect(try bench.get() == "1" && bench.requests.count == 3)
    }

    @Test func staleWhileRevalidateAnswersAtOnceAndAsks() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(
            stored("stale-while-revalidate=5"),
            .init(headers: ["Cache-Control": "max-age=10"], gate: gate))
        try bench.ask()
        bench.advance(14)
        for _ in 1...3 { #expect(try bench.get() == "1") }
        #expect(bench.requests.count == 2 && bench.last?.headers["If-None-Match"] == "\"a\"")
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
    }

    @Test func oneRevalidationIsUnderWayAtATime() throws {
        let bench = CacheBench()
        let notes = Locked(0)
        let observer = ServiceObserver { event in
            if case .note("revalidating") = event.kind { notes.withLock { $0 += 1 } }
        }
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: bench.cache),
            over: bench.origin)
        bench.answers(stored("stale-while-revalidate=5"), .init(gate: Promise<Void>()))
        try bench.ask()
        bench.advance(11)
        for _ in 1...3 { _ = service(HTTPRequest(.get, URL(string: "https://example.com/")!)) }
        #expect(notes.withLock { $0 } == 1)
    }

    @Test func theWindowOfStaleWhileRevalidateEnds() throws {
        let bench = CacheBench()
        bench.answers(stored("stale-while-revalidate=5"))
        try bench.ask()
        bench.advance(15)
        #expect(try bench.get() == "2")
    }

    @Test(arguments: ["no-cache", "max-age=100", "min-fresh=1"])
    func aRequestThatRefusesStaleWaitsForTheOrigin(control: String) throws {
        let bench = CacheBench()
        bench.answers(stored("stale-while-revalidate=50"))
        try bench.ask()
        bench.advance(11)
        #expect(try bench.get(["Cache-Control": control]) == "2")
    }

    @Test func aFailedRevalidationLeavesWhatIsStored() throws {
        let bench = CacheBench()
        bench.answers(
            stored("stale-while-revalidate=50"), .init(failure: CacheBench.Lost()),
            .init(status: 500), .init(status: 304))
        try bench.ask()
        bench.advance(11)
        for _ in 1...4 { #expect(try bench.get() == "1") }
        // After each failed attempt there was another; the last attempt confirmed the response.
        #expect(bench.requests.count == 4)
        #expect(bench.cache.background.withLock { $0.isEmpty })
    }

    @Test func theCallerLeavesTheRevalidationAlone() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(
            stored("stale-while-revalidate=50"),
            .init(headers: ["Cache-Control": "max-age=10"], gate: gate))
        try bench.ask()
        bench.advance(11)
        var call: Future<HTTPResponse>? = bench.send()
        call?.cancel()
        call = nil
        #expect(gate.result == nil)
        gate.resolve()
        #expect(try bench.get() == "2" && bench.requests.count == 2)
    }

    @Test func theRevalidationHasADeadlineOfItsOwn() throws {
        let bench = CacheBench()
        let deadlines = Locked<[Duration?]>([])
        let service = stack(
            .deadline(.seconds(1), on: bench.scheduler), .cache(sharing: bench.cache),
            over: { [origin = bench.origin] request in
                deadlines.withLock { $0.append(CallContext.current.remaining) }
                return origin(request)
            })
        bench.answers(stored("stale-while-revalidate=50"), .init(gate: Promise<Void>()))
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        _ = service(request)
        bench.advance(11)
        _ = service(request)
        #expect(deadlines.withLock { $0 } == [.seconds(1), .seconds(60)])
        #expect(bench.cache.background.withLock { $0.count } == 1)
        bench.advance(60)
        #expect(bench.cache.background.withLock { $0.isEmpty })
    }

    /// The caller gets the stored response, or another answer, and the jar the cookies of this one.
    @Test(
        arguments: [
            ("stale-if-error=9", .init(status: 503, headers: ["Set-Cookie": "a=1"])),
            (
                "stale-if-error=9",
                .init(
                    failure: HTTPError(
                        code: .connectionLost,
                        response: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1"])))
            ),
            (
                "stale-while-revalidate=9",
                .init(status: 304, headers: ["ETag": "\"a\"", "Set-Cookie": "a=1"])
            ),
            ("x", .init(status: 304, headers: ["ETag": "\"b\"", "Set-Cookie": "a=1"])),
        ] as [(String, CacheBench.Reply)])
    func theJarKeepsTheCookiesOfAnAnswerThatIsReplaced(
        control: String, reply: CacheBench.Reply
    ) throws {
        let (bench, jar) = (CacheBench(), CookieJar())
        bench.answers(stored(control), reply, .init())
        let send = stack(.cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)
        let request = HTTPRequest(at: "https://example.com/")
        for _ in 1...2 {
            #expect(send(request).valueNow?.status == 200)
            bench.advance(11)
        }
        #expect(jar.cookies.map(\.name) == ["a"])
    }
}

import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

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

    @Test func anAgeMakesStale() throws {
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

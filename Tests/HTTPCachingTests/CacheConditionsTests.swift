import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.3.2: conditions in the client's request.
@Suite struct CacheConditionsTests {
    private static let changed = CacheBench.date(-1_000)

    /// The answer of a fresh response with a tag and a date to conditions; nil if the origin is asked.
    private func answer(
        _ asking: HTTPHeaders, stored: HTTPHeaders = ["ETag": "\"a,b\"", "Last-Modified": changed],
        status: Int = 200
    ) throws -> HTTPResponse? {
        let bench = CacheBench()
        var headers = stored
        headers.set("max-age=100", for: "Cache-Control")
        headers.set("text/plain", for: "Content-Type")
        headers.set("1", for: "Content-Length")
        bench.answers(headers, status: status)
        try bench.ask()
        let response = try bench.ask(.get, "/", asking)
        return bench.requests.count == 1 ? response : nil
    }

    @Test(arguments: ["\"a,b\"", "W/\"a,b\"", "\"x\", \"a,b\"", "\"x\",W/\"a,b\" , \"y\"", "*"])
    func aTagThatFitsIsNotModified(tags: String) throws {
        let response = try #require(try answer(["If-None-Match": tags]))
        #expect(response.status == 304 && response.body.isEmpty)
        #expect(response.headers["ETag"] == "\"a,b\"" && response.headers["Age"] == "0")
        #expect(response.headers["Date"] != nil && response.headers["Cache-Control"] != nil)
        #expect(
            response.headers["Content-Type"] == nil && response.headers["Content-Length"] == nil)
    }

    @Test(arguments: ["\"x\"", "\"a\", b\"", "a", "\"A,B\"", "", "\"*\""])
    func aTagThatDoesNotFitIsAnswered(tags: String) throws {
        let response = try #require(try answer(["If-None-Match": tags]))
        #expect(response.status == 200 && response.text == "1")
    }

    @Test func tagsWithoutQuotationMarksAreCompared() throws {
        #expect(try answer(["If-None-Match": "abc"], stored: ["ETag": "abc"])?.status == 304)
        #expect(try answer(["If-None-Match": "é"], stored: ["ETag": "é"])?.status == 304)
    }

    @Test func theTagGoesBeforeTheDate() throws {
        let since = CacheBench.date(0)
        let other: HTTPHeaders = ["If-None-Match": "\"x\"", "If-Modified-Since": since]
        #expect(try answer(other)?.status == 200)
        let same: HTTPHeaders = [
            "If-None-Match": "\"a,b\"", "If-Modified-Since": CacheBench.date(-9_999),
        ]
        #expect(try answer(same)?.status == 304)
        #expect(try answer(other, stored: ["Last-Modified": Self.changed])?.status == 200)
    }

    @Test(arguments: [(-1_000, 304), (-999, 304), (-1_001, 200)])
    func aDateIsCompared(since: Int64, status: Int) throws {
        let asking: HTTPHeaders = ["If-Modified-Since": CacheBench.date(since)]
        #expect(try answer(asking)?.status == status)
    }

    @Test func withoutLastModifiedTheDateCounts() throws {
        let stored: HTTPHeaders = ["A": "1"]
        #expect(
            try answer(["If-Modified-Since": CacheBench.date(0)], stored: stored)?.status == 304)
        #expect(
            try answer(["If-Modified-Since": CacheBench.date(-1)], stored: stored)?.status == 200)
    }

    @Test func aDateThatIsNoneIsIgnored() throws {
        #expect(try answer(["If-Modified-Since": "yesterday"])?.status == 200)
    }

    @Test func conditionsConcernASuccessOnly() throws {
        #expect(try answer(["If-None-Match": "*"], status: 404)?.status == 404)
    }

    @Test func whatIsForTheOriginGoesThere() throws {
        #expect(try answer(["If-Match": "\"a,b\""]) == nil)
        #expect(try answer(["If-Unmodified-Since": CacheBench.date(0)]) == nil)
    }

    @Test func theClientsConditionsAreSentAsTheyAre() throws {
        for tags in ["\"mine\"", "mine", "W/\"mine\", \"other\""] {
            let bench = CacheBench()
            bench.answers(
                .init(headers: ["Cache-Control": "max-age=0", "ETag": "\"a\""]),
                .init(status: 304, headers: ["ETag": "\"mine\""]))
            try bench.ask()
            #expect(try bench.ask(.get, "/", ["If-None-Match": tags]).status == 304)
            #expect(bench.last?.headers["If-None-Match"] == tags)
        }
    }

    @Test func a304ToTheClientsConditionConfirmsWhatItSpeaksOf() throws {
        for (tag, count) in [("\"a\"", 2), ("\"b\"", 3)] {
            let bench = CacheBench()
            bench.answers(
                .init(headers: ["Cache-Control": "max-age=5", "ETag": "\"a\""]),
                .init(status: 304, headers: ["ETag": tag]),
                .init(headers: ["Cache-Control": "max-age=5"]))
            try bench.ask()
            bench.advance(5)
            #expect(try bench.ask(.get, "/", ["If-None-Match": tag]).status == 304)
            #expect(try bench.ask().status == 200)
            #expect(bench.requests.count == count)
        }
    }

    @Test func a304WithoutAValidatorConfirmsNothingTheClientAskedAbout() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=5", "ETag": "\"a\""]), .init(status: 304),
            .init())
        try bench.ask()
        bench.advance(5)
        try bench.ask(.get, "/", ["If-None-Match": "\"mine\""])
        #expect(try bench.get() == "3")
    }

    @Test func a200ToTheClientsConditionIsStored() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=5"])
        #expect(try bench.get(["If-None-Match": "\"mine\""]) == "1")
        #expect(try bench.get() == "1")
    }
}

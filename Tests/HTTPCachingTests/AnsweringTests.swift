import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
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
    func aDateInAConditionIsCompared(since: Int64, status: Int) throws {
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

    @Test func aConditionWithoutAValidDateIsIgnored() throws {
        #expect(try answer(["If-Modified-Since": "yesterday"])?.status == 200)
    }

    @Test func conditionsConcernASuccessOnly() throws {
        #expect(try answer(["If-None-Match": "*"], status: 404)?.status == 404)
    }

    @Test func conditionsForTheOriginGoToTheOrigin() throws {
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

/// RFC 9111, sections 3.3 and 3.4, and RFC 9110, section 14: parts of a response.
@Suite struct CacheRangeTests {
    private static let whole = "0123456789"

    /// The answer of a stored whole response; nil if the origin is asked.
    private func part(
        _ asking: HTTPHeaders, status: Int = 200, _ more: HTTPHeaders = ["ETag": "\"a\""]
    ) throws -> HTTPResponse? {
        let bench = CacheBench()
        var headers = more
        headers.set("max-age=100", for: "Cache-Control")
        bench.answers(headers, status: status, body: Self.whole)
        try bench.ask()
        let response = try bench.ask(.get, "/", asking)
        return bench.requests.count == 1 ? response : nil
    }

    @Test(arguments: [
        ("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=8-", "89", "bytes 8-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"), ("BYTES=0-0", "0", "bytes 0-0/10"),
        ("bytes=5-99", "56789", "bytes 5-9/10"), ("bytes=-99", whole, "bytes 0-9/10"),
    ])
    func aRangeIsCutOutOfAStoredResponse(range: String, body: String, place: String) throws {
        let response = try #require(try part(["Range": range]))
        #expect(response.status == 206 && response.text == body)
        #expect(response.headers["Content-Range"] == place)
        #expect(response.headers["Content-Length"] == "\(body.count)")
        #expect(response.body.startIndex == 0 && response.headers["Age"] == "0")
    }

    @Test(arguments: [
        "bytes=10-", "bytes=4-2", "bytes=-0", "bytes=-", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2",
        "bytes", "bytes=1-2-3", "bytes=+1-2", "", "bytes = 1-2", "bytes=1-x",
    ])
    func theOriginAnswersAllOtherRanges(range: String) throws {
        #expect(try part(["Range": range]) == nil)
    }

    @Test func ifRangeNeedsTheSameStrongTag() throws {
        let asking = { (tag: String) -> HTTPHeaders in ["Range": "bytes=2-4", "If-Range": tag] }
        #expect(try part(asking("\"a\""))?.status == 206)
        let other = try #require(try part(asking("\"b\"")))
        #expect(other.status == 200 && other.text == Self.whole)
        #expect(try part(asking("W/\"a\""), ["ETag": "W/\"a\""])?.status == 200)
        #expect(try part(asking(CacheBench.date(0))) == nil)
    }

    @Test func aRangeIsCutOutOfAPlain200Only() throws {
        let asking: HTTPHeaders = ["Range": "bytes=2-4"]
        #expect(try part(asking, status: 404) == nil)
        #expect(try part(asking, ["Content-Encoding": "gzip"]) == nil)
    }

    @Test func aPartAnswersNoOtherRequest() throws {
        let bench = CacheBench()
        bench.answers(
            .init(
                status: 206,
                headers: [
                    "Cache-Control": "max-age=100", "Content-Range": "bytes 0-1/10",
                    "ETag": "\"a\"",
                ], body: "01"), .init(headers: ["Cache-Control": "max-age=100"], body: Self.whole))
        #expect(try bench.get(["Range": "bytes=0-1"]) == "01")
        #expect(try bench.get() == Self.whole)
        #expect(try bench.get(["Range": "bytes=1-2"]) == "12" && bench.requests.count == 2)
    }

    @Test func aPartLeavesTheWhole() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=100"], body: Self.whole),
            .init(status: 206, headers: ["Cache-Control": "max-age=100"], body: "x"),
            .init(status: 416, headers: ["Cache-Control": "max-age=100"]))
        try bench.ask()
        #expect(try bench.get(["Range": "bytes=1-2, 4-5"]) == "x")
        #expect(try bench.ask(.get, "/", ["Range": "bytes=50-"]).status == 416)
        #expect(try bench.get() == Self.whole && bench.requests.count == 3)
    }

    @Test func aStaleWholeIsNotCut() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=10"], body: Self.whole)
        try bench.ask()
        bench.advance(10)
        try bench.ask(.get, "/", ["Range": "bytes=1-2"])
        #expect(bench.requests.count == 2 && bench.last?.headers["Range"] == "bytes=1-2")
    }
}

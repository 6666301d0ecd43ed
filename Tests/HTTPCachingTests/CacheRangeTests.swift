import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

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
    func aRangeIsCutOut(range: String, body: String, place: String) throws {
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
    func theOriginAnswersAllElse(range: String) throws {
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

    @Test func onlyAPlain200IsCut() throws {
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

import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, sections 4 and 4.3.5: the answer to HEAD from the cache, and the effect of HEAD on it.
@Suite struct CacheHeadTests {
    private let stored: HTTPHeaders = [
        "Cache-Control": "max-age=10", "ETag": "\"a\"", "Content-Length": "1",
    ]

    /// The answer to a GET after a GET, some time, and a HEAD with these headers, and the number of requests.
    private func after(
        _ head: HTTPHeaders, status: Int = 200, wait: Int = 10
    ) throws -> (response: HTTPResponse, asked: HTTPHeaders?, count: Int) {
        let bench = CacheBench()
        bench.answers(
            .init(headers: stored), .init(status: status, headers: head, body: ""),
            .init(headers: stored))
        try bench.ask()
        bench.advance(wait)
        try bench.ask(.head, "/", ["Cache-Control": "no-cache"])
        let response = try bench.ask()
        return (response, bench.last?.headers, bench.requests.count)
    }

    @Test func aStoredGetAnswersHead() throws {
        let bench = CacheBench()
        bench.answers(stored)
        try bench.ask()
        let head = try bench.ask(.head)
        #expect(head.body.isEmpty && head.status == 200 && bench.requests.count == 1)
        #expect(head.headers["Content-Length"] == "1" && head.headers["Age"] == "0")
    }

    @Test func aStaleOneDoesNot() throws {
        let bench = CacheBench()
        bench.answers(stored)
        try bench.ask()
        bench.advance(10)
        try bench.ask(.head)
        #expect(bench.last?.method == .head && bench.last?.headers["If-None-Match"] == nil)
    }

    @Test func headNeverAnswersGet() throws {
        let bench = CacheBench()
        bench.answers(stored)
        try bench.ask(.head)
        #expect(try bench.get() == "2")
    }

    @Test func anAnswerThatFitsConfirms() throws {
        var head = stored
        head.set("new", for: "X")
        let (response, _, count) = try after(head)
        #expect(count == 2 && response.text == "1" && response.headers["X"] == "new")
    }

    @Test(arguments: [["ETag": "\"b\""], ["ETag": "\"a\"", "Content-Length": "2"]])
    func anAnswerThatDiffersMakesStale(fields: [String: String]) throws {
        var head = HTTPHeaders(fields)
        head.set("max-age=100", for: "Cache-Control")
        let (response, asked, count) = try after(head, wait: 1)
        #expect(count == 3 && response.text == "3" && asked?["If-None-Match"] == "\"a\"")
    }

    @Test func anAnswerWithoutAValidatorConfirmsNothing() throws {
        let (_, _, count) = try after(["Cache-Control": "max-age=100"])
        #expect(count == 3)
    }

    @Test func anErrorSaysNothing() throws {
        let (response, _, count) = try after(["ETag": "\"b\""], status: 500, wait: 1)
        #expect(count == 2 && response.text == "1")
    }

    @Test(arguments: [404, 410]) func whatIsGoneIsForgotten(status: Int) throws {
        let (_, asked, count) = try after([:], status: status, wait: 1)
        #expect(count == 3 && asked?["If-None-Match"] == nil)
    }

    @Test func anAnswerWithNoStoreTakesItAway() throws {
        let (_, asked, count) = try after(["ETag": "\"a\"", "Cache-Control": "no-store"], wait: 1)
        #expect(count == 3 && asked?["If-None-Match"] == nil)
    }
}

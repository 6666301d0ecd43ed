import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, sections 4.3.1, 4.3.3 and 4.3.4: asking the origin whether a stored response is still valid.
@Suite struct CacheValidationTests {
    private let stale: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": "\"a\""]
    private let changed = CacheBench.date(-1_000)

    /// The second request after a first, stale answer with these headers.
    private func validation(_ headers: HTTPHeaders) throws -> HTTPHeaders {
        let bench = CacheBench()
        var headers = headers
        headers.set("max-age=0", for: "Cache-Control")
        bench.answers(headers)
        try bench.ask()
        try bench.ask(.get, "/", ["Accept": "x/y"])
        #expect(bench.requests.count == 2)
        return try #require(bench.last?.headers)
    }

    @Test func aValidationNamesTheTagAndTheDate() throws {
        let both = try validation(["ETag": "\"a\"", "Last-Modified": changed])
        #expect(both["If-None-Match"] == "\"a\"" && both["If-Modified-Since"] == changed)
        #expect(both["Accept"] == "x/y")
        let tag = try validation(["ETag": "W/\"a\""])
        #expect(tag["If-None-Match"] == "W/\"a\"" && tag["If-Modified-Since"] == nil)
        let date = try validation(["Last-Modified": changed])
        #expect(date["If-None-Match"] == nil && date["If-Modified-Since"] == changed)
        #expect(try validation(["ETag": "a b"])["If-None-Match"] == "a b")
    }

    @Test func aValidationWithoutAValidatorIsThePlainRequest() throws {
        #expect(try validation(["Expires": "0"]) == ["Accept": "x/y"])
    }

    @Test(arguments: [[0x85], [0xE9], [0xC3, 0xA9], [0xC2, 0x85], [0x80, 0xFF]] as [[UInt8]])
    func aValidatorComesBackWithItsBytes(bytes: [UInt8]) throws {
        let quote = UInt8(ascii: "\"")
        var headers: HTTPHeaders = ["Cache-Control": "max-age=0"]
        headers.set(bytes: [quote] + bytes + [quote], for: "ETag")
        headers.set(bytes: bytes, for: "Last-Modified")
        let bench = CacheBench()
        bench.answers(.init(headers: headers), .init(status: 304, headers: headers))
        for _ in 1...3 { #expect(try bench.get() == "1") }
        // A 304 keeps the bytes as well.
        for request in bench.requests.dropFirst() {
            #expect(throws: Never.self) { try request.validate() }
            #expect(
                request.headers.received("If-None-Match").map(\.bytes) == [
                    [quote] + bytes + [quote]
                ])
            #expect(request.headers.received("If-Modified-Since").map(\.bytes) == [bytes])
        }
        #expect(bench.cache.statistics.confirmations == 2)
    }

    @Test(arguments: ["\"\u{7F}\"", "\"a\u{1}\"", "\"a\u{FFFD}\""])
    func aValidatorThatNoRequestMayHoldIsLeftOut(value: String) throws {
        #expect(try validation(["ETag": value]) == ["Accept": "x/y"])
        #expect(try validation(["Last-Modified": value]) == ["Accept": "x/y"])
        let date = try validation(["ETag": value, "Last-Modified": changed])
        #expect(date == ["Accept": "x/y", "If-Modified-Since": changed])
        let tag = try validation(["ETag": "\"a\"", "Last-Modified": value])
        #expect(tag == ["Accept": "x/y", "If-None-Match": "\"a\""])
    }

    @Test func a304MeansTheStoredResponse() throws {
        let bench = CacheBench()
        bench.answers(.init(headers: stale), .init(status: 304, headers: ["ETag": "\"a\""]))
        try bench.ask()
        let again = try bench.ask()
        #expect(again.status == 200 && again.text == "1" && again.headers["ETag"] == "\"a\"")
        #expect(bench.cache.statistics.confirmations == 1)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\""), ("W/\"a\"", "W/\"a\""), ("\"a\"", "W/\"a\""), ("a", "a"),
    ])
    func aTagConfirmsTheStoredResponseHoweverItIsWritten(stored: String, fresh: String) throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=0", "ETag": stored]),
            .init(status: 304, headers: ["ETag": fresh]), .init())
        try bench.ask()
        #expect(try bench.get() == "1" && bench.requests.count == 2)
    }

    @Test(arguments: [
        ("\"a\"", ["ETag": "\"b\""]), ("W/\"a\"", ["ETag": "\"a\""]),
        ("\"a\"", ["ETag": "W/\"b\""]),
        ("\"a\"", ["ETag": "\"A\""]), ("\"a\"", ["Last-Modified": CacheBench.date(-5)]),
    ])
    func a304OfAnotherResponseIsAskedAnew(stored: String, fresh: [String: String]) throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: [
                "Cache-Control": "max-age=0", "ETag": stored, "Last-Modified": changed,
            ]),
            .init(status: 304, headers: HTTPHeaders(fresh)),
            .init(headers: ["Cache-Control": "max-age=9"]))
        try bench.ask()
        #expect(try bench.get() == "3")
        #expect(bench.last?.headers["If-None-Match"] == nil)
        #expect(bench.last?.headers["If-Modified-Since"] == nil)
        #expect(try bench.get() == "3")
    }

    @Test func a304WithoutAValidatorMeansTheOneThatWasAskedAbout() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: stale), .init(status: 304, headers: ["Cache-Control": "max-age=9"]),
            .init())
        try bench.ask()
        #expect(try bench.get() == "1" && bench.get() == "1" && bench.requests.count == 2)
    }

    @Test func a304ThatWasNotAskedForGoesToTheCaller() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=1"]), .init(status: 304), .init(status: 304))
        try bench.ask()
        bench.advance(1)
        #expect(try bench.ask().status == 304)
    }

    @Test func anotherAnswerTakesItsPlace() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: stale), .init(headers: ["Cache-Control": "max-age=9", "ETag": "\"b\""]))
        try bench.ask()
        #expect(try bench.get() == "2" && bench.get() == "2" && bench.requests.count == 2)
        #expect(bench.store.currentUsage.count == 1)
    }

    @Test func anErrorOfTheServersIsTold() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: stale), .init(status: 503, headers: ["A": "1"]),
            .init(status: 304, headers: ["ETag": "\"a\""]))
        try bench.ask()
        #expect(try bench.ask().status == 503)
        #expect(try bench.get() == "1")
    }

    @Test func aStrongTagConfirmsEveryVariantThatHasIt() throws {
        let bench = CacheBench()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=5", "Vary": "Foo", "ETag": "\"a\""]
        bench.answers(
            .init(headers: headers), .init(headers: headers),
            .init(status: 304, headers: ["ETag": "\"a\"", "X": "new"]), .init())
        try bench.ask(.get, "/", ["Foo": "1"])
        try bench.ask(.get, "/", ["Foo": "2"])
        bench.advance(5)
        #expect(try bench.get(["Foo": "1"]) == "1")
        let other = try bench.ask(.get, "/", ["Foo": "2"])
        #expect(other.text == "2" && other.headers["X"] == "new" && bench.requests.count == 3)
    }

    @Test func variantsThatWereConfirmedTogetherStayApart() throws {
        let bench = CacheBench()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=5", "Vary": "Foo", "ETag": "\"a\""]
        bench.answers(
            .init(headers: headers), .init(headers: headers),
            .init(status: 304, headers: ["ETag": "\"a\""]))
        try bench.ask(.get, "/", ["Foo": "1"])
        try bench.ask(.get, "/", ["Foo": "2"])
        for _ in 1...3 {
            bench.advance(5)
            #expect(try bench.get(["Foo": "1"]) == "1" && bench.get(["Foo": "2"]) == "2")
        }
        #expect(bench.requests.count == 5)
    }

    @Test func aWeakTagConfirmsOneVariantOnly() throws {
        let bench = CacheBench()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=5", "Vary": "Foo", "ETag": "W/\"a\""]
        bench.answers(
            .init(headers: headers), .init(headers: headers),
            .init(status: 304, headers: ["ETag": "W/\"a\""]), .init(headers: headers))
        try bench.ask(.get, "/", ["Foo": "1"])
        try bench.ask(.get, "/", ["Foo": "2"])
        bench.advance(5)
        #expect(try bench.get(["Foo": "1"]) == "1")
        #expect(try bench.get(["Foo": "2"]) == "4")
    }
}

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

    @Test func aStaleGetAnswersNoHead() throws {
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

    @Test func theSameLengthConfirmsWithoutAValidator() throws {
        let control = "max-age=100"
        let (response, _, count) = try after([
            "Cache-Control": control, "Content-Length": "1", "X": "new",
        ])
        #expect(count == 2 && response.text == "1" && response.headers["X"] == "new")
        #expect(response.headers["ETag"] == "\"a\"" && response.headers["Age"] == "0")
        let (other, asked, more) = try after(
            ["Cache-Control": control, "Content-Length": "2"], wait: 1)
        #expect(more == 3 && other.text == "3" && asked?["If-None-Match"] == "\"a\"")
    }

    @Test func theLengthOfAnEncodedResponseConfirmsNothing() throws {
        let bench = CacheBench()
        let encoded: HTTPHeaders = [
            "Cache-Control": "max-age=10", "Content-Encoding": "gzip", "Content-Length": "9",
        ]
        bench.answers(.init(headers: encoded), .init(headers: encoded, body: ""), .init())
        try bench.ask()
        bench.advance(10)
        try bench.ask(.head)
        #expect(try bench.get() == "3")
    }

    @Test(arguments: [false, true]) func aHeadOfAnotherUserSaysNothing(inFolder: Bool) throws {
        let bench = CacheBench(folder: CacheBench.folder(inFolder))
        var changed = stored
        changed.set("\"b\"", for: "ETag")
        bench.answers(.init(headers: stored), .init(headers: changed, body: ""))
        let user = { (name: String) -> HTTPHeaders in ["Authorization": "Bearer \(name)"] }
        _ = try bench.get(user("anna"))
        try bench.ask(.head, "/", user("bert"))
        #expect(try bench.get(user("anna")) == "1" && bench.requests.count == 2)
    }

    @Test func aSuccessDoesNotConfirmAnError() throws {
        let bench = CacheBench()
        let empty: HTTPHeaders = ["Cache-Control": "max-age=10", "Content-Length": "0"]
        bench.answers(
            .init(status: 404, headers: empty, body: ""), .init(headers: empty, body: ""))
        try bench.ask()
        bench.advance(20)
        try bench.ask(.head)
        #expect(try bench.ask().status == 200 && bench.requests.count == 3)
    }

    @Test func aHeadThatIsAnErrorSaysNothing() throws {
        let (response, _, count) = try after(["ETag": "\"b\""], status: 500, wait: 1)
        #expect(count == 2 && response.text == "1")
    }

    @Test(arguments: [404, 410]) func aHeadThatIsGoneForgetsTheResponse(status: Int) throws {
        let (_, asked, count) = try after([:], status: status, wait: 1)
        #expect(count == 3 && asked?["If-None-Match"] == nil)
    }

    @Test func anAnswerWithNoStoreTakesItAway() throws {
        let (_, asked, count) = try after(["ETag": "\"a\"", "Cache-Control": "no-store"], wait: 1)
        #expect(count == 3 && asked?["If-None-Match"] == nil)
    }
}

@Suite struct EntityTagTests {
    /// RFC 9110, section 8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true), ("1", "1", true, true),
        ("1", "\"1\"", false, false), ("w/\"1\"", "\"1\"", false, false),
    ])
    func entityTagsMatchStronglyOrWeakly(left: String, right: String, strong: Bool, weak: Bool)
        throws
    {
        let (left, right) = try (#require(EntityTag(left)), #require(EntityTag(right)))
        #expect(left.matchesStrongly(right) == strong && right.matchesStrongly(left) == strong)
        #expect(left.matchesWeakly(right) == weak && right.matchesWeakly(left) == weak)
    }

    @Test func aListIsSplitOutsideOfQuotationMarks() {
        let tags = EntityTag.list(" \"a,b\" ,W/\"c\",, d,\"\"").map(\.opaque)
        #expect(tags == ["\"a,b\"", "\"c\"", "d", "\"\""])
        #expect(EntityTag.list("").isEmpty && EntityTag.list(",").isEmpty)
    }

    @Test func severalTagsThatDifferAreNone() {
        #expect(EntityTag(of: ["ETag": "\"a\"", "etag": "\"b\""]) == nil)
        #expect(EntityTag(of: ["ETag": "\"a\"", "etag": "\"a\""])?.opaque == "\"a\"")
        #expect(EntityTag(of: [:]) == nil && EntityTag("") == nil && EntityTag("W/") == nil)
    }
}

import HTTPTestSupport
import PledgeHTTPNetworking
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

    @Test func itNamesTheTagAndTheDate() throws {
        let both = try validation(["ETag": "\"a\"", "Last-Modified": changed])
        #expect(both["If-None-Match"] == "\"a\"" && both["If-Modified-Since"] == changed)
        #expect(both["Accept"] == "x/y")
        let tag = try validation(["ETag": "W/\"a\""])
        #expect(tag["If-None-Match"] == "W/\"a\"" && tag["If-Modified-Since"] == nil)
        let date = try validation(["Last-Modified": changed])
        #expect(date["If-None-Match"] == nil && date["If-Modified-Since"] == changed)
        #expect(try validation(["ETag": "a b"])["If-None-Match"] == "a b")
    }

    @Test func withoutAValidatorItIsThePlainRequest() throws {
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
    func tagsThatFit(stored: String, fresh: String) throws {
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

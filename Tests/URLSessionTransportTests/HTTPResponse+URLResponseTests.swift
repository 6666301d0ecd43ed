import Foundation
import PledgeHTTPMessages
import Testing

@testable import PledgeURLSessionTransport

struct HTTPResponseURLResponseTests {
    private let url = URL(string: "http://a/")!

    /// The headers that are left of a response to a request.
    private func headers(
        _ coding: String, to method: HTTPMethod = .get, decoding known: Set<String>? = nil
    ) -> HTTPHeaders {
        response(coding, to: method, decoding: known).headers
    }

    /// A response to a request that asks for a kept coding.
    private func response(
        _ coding: String, to method: HTTPMethod = .get, decoding known: Set<String>? = nil
    ) -> HTTPResponse {
        var request = HTTPRequest(method, url)
        request.context.coding = .kept
        var response = HTTPResponse(
            status: 200,
            headers: ["Content-Encoding": coding, "Content-Length": "9", "X": "1"],
            request: request)
        response.dropFraming(decodedFrom: known)
        return response
    }

    /// A download then knows that it can't ask for the rest of the bytes.
    @Test(arguments: [("gzip", true), ("identity", false), ("aws-chunked", false)])
    func saysThatABodyIsDecoded(coding: String, isDecoded: Bool) {
        let response = response(coding, decoding: ["gzip"])
        #expect((response.request?.context.coding == .decoded) == isDecoded)
    }

    @Test(arguments: [
        (HTTPMethod.get, "gzip", false), (.get, "BR", false), (.get, "identity", true),
        (.get, "Identity", true), (.head, "gzip", true),
    ])
    func dropsWhatDecodingMadeUntrue(method: HTTPMethod, coding: String, isKept: Bool) {
        #expect(headers(coding, to: method).count == (isKept ? 3 : 1))
    }

    /// Apple's URLSession passes a body in another coding on as it is.
    @Test(arguments: [
        ("gzip", false), ("X-Gzip", false), ("gzip, br", false), ("identity, gzip", false),
        ("zstd", true), ("gzip, zstd", true), ("zstd, gzip", true), ("aws-chunked", true),
    ])
    func keepsTheCodingOfABodyThatIsNotDecoded(coding: String, isKept: Bool) {
        #expect(headers(coding, decoding: ["gzip", "x-gzip", "br"]).count == (isKept ? 3 : 1))
    }
}

struct SetCookieTests {
    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1; Secure, b=2", ["a=1; Secure", "b=2"]),
        ("a=1; Path=/, b=2; Path=/, c=3", ["a=1; Path=/", "b=2; Path=/", "c=3"]),
        (
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2",
            [
                "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2",
            ]
        ),
        (
            "a=1; expires=Sunday, 06-Nov-94 08:49:37 GMT; Path=/, b=2; Expires=Thu, 1 Jan 1970",
            [
                "a=1; expires=Sunday, 06-Nov-94 08:49:37 GMT; Path=/",
                "b=2; Expires=Thu, 1 Jan 1970",
            ]
        ),
        ("a=x,y", ["a=x,y"]),
        ("a=; Secure, b=", ["a=; Secure", "b="]),
        ("a=1; Path=/, __Host-b=\"q\"; Secure", ["a=1; Path=/", "__Host-b=\"q\"; Secure"]),
        // Foundation joins by a comma and a space.
        ("a=1,b=2,c=3", ["a=1,b=2,c=3"]), ("a=1; Path=/,b=2", ["a=1; Path=/,b=2"]),
        ("a=1; Path=/,\u{301} b=2", ["a=1; Path=/,\u{301} b=2"]),
        ("a=1,", ["a=1,"]),
        ("", [""]),
    ])
    func takesApartWhatWasJoined(joined: String, cookies: [String]) {
        #expect(SetCookie.split(joined) == cookies)
    }

    @Test(arguments: [
        ("lang=x, sid=evil", []), ("lang=x, sid=evil; Path=/; HttpOnly", []),
        ("a=, b=", []), ("lang=x, sid=evil, c=3", []),
        ("a=1; Path=/, lang=x, sid=evil", ["a=1; Path=/"]),
        ("lang=x, sid=evil; Secure, c=3; Secure", ["c=3; Secure"]),
        ("lang=\"x, sid=evil\"; Secure, c=3", ["c=3"]),
        (
            "lang=x, sid=evil; Expires=Wed, 21 Oct 2026 07:28:00 GMT, c=3; Path=/, d=4",
            ["c=3; Path=/", "d=4"]
        ),
    ])
    func inventsNoCookieWhereTheyCannotBeToldApart(joined: String, cookies: [String]) {
        #expect(SetCookie.split(joined) == cookies)
    }
}

/// URLSession's measures become the report that CurlTransport gives.
struct TransactionTimesTests {
    private let start = Date(timeIntervalSinceReferenceDate: 1_000)

    private func date(_ milliseconds: Double) -> Date {
        start.addingTimeInterval(milliseconds / 1_000)
    }

    private func secure() -> TransactionTimes {
        TransactionTimes(
            protocolName: "h2", remoteAddress: "10.0.0.7", remotePort: "443",
            domainLookupEnd: date(2), connectEnd: date(16), secureConnectionStart: date(4),
            secureConnectionEnd: date(15), responseStart: date(32))
    }

    private func measured(_ times: TransactionTimes...) -> ConnectionMetrics? {
        ConnectionMetrics(times, since: start)
    }

    /// URLSession's connection ends after TLS, libcurl's before.
    @Test func eachStepCountsFromTheBeginning() throws {
        let report = try #require(measured(secure()))
        #expect(
            report.description == "HTTP/2 10.0.0.7:443, new, name 2.0, connected 4.0, TLS 15.0,"
                + " first byte 32.0 ms")
        var times = secure()
        (times.secureConnectionStart, times.secureConnectionEnd) = (nil, nil)
        let plain = try #require(measured(times))
        #expect(plain.untilConnected.map { $0 > .milliseconds(15.9) } == true)
        #expect(plain.untilSecure == nil)
    }

    @Test func aReusedConnectionTakesNoSteps() throws {
        var times = secure()
        times.isReusedConnection = true
        let report = try #require(measured(times))
        #expect(report.description == "HTTP/2 10.0.0.7:443, reused, first byte 32.0 ms")
    }

    @Test(
        arguments: [
            ("http/1.0", "HTTP/1.0"), ("http/1.1", "HTTP/1.1"), ("h2", "HTTP/2"), ("h3", "HTTP/3"),
            ("H3", "HTTP/3"), ("spdy/3", nil), ("", nil),
        ] as [(String, String?)])
    func versionsHaveOneName(name: String, version: String?) {
        var times = secure()
        times.protocolName = name
        #expect(measured(times)?.protocolVersion == version)
    }

    @Test func addressesAreThoseOfOtherTransports() {
        var times = secure()
        times.remoteAddress = "fe80::1%en0"
        #expect(measured(times)?.remoteAddress == "[fe80::1%en0]:443")
        times.remotePort = nil
        #expect(measured(times)?.remoteAddress == nil)
        (times.remoteAddress, times.remotePort) = ("", "443")
        #expect(measured(times)?.remoteAddress == nil)
    }

    @Test func theLastExchangeOverTheNetworkCounts() throws {
        var first = secure()
        first.protocolName = "http/1.1"
        var cached = TransactionTimes()
        cached.isFromNetwork = false
        #expect(measured(first, secure(), cached)?.protocolVersion == "HTTP/2")
        #expect(measured(cached) == nil)
        #expect(measured() == nil)
    }

    @Test(arguments: [-1, .nan, .infinity, -.infinity, 1e300] as [Double])
    func aClockThatWasSetMeasuresNothing(seconds: Double) throws {
        var times = secure()
        times.responseStart = Date(timeIntervalSinceReferenceDate: 1_000 + seconds)
        let report = try #require(measured(times))
        #expect(report.untilFirstByte == nil)
        #expect(report.untilConnected != nil)
    }

    @Test func whatIsNotMeasuredIsNotReported() throws {
        let report = try #require(measured(TransactionTimes()))
        var expected = ConnectionMetrics()
        expected.isReused = false
        #expect(report == expected)
    }
}

#if HTTPTypes
import PledgeHTTPNetworking
import HTTPTypes
import PledgeHTTPTypesConversions
import PledgeServices
import TestSupport
import Testing

struct HTTPRequestConversionTests {
    typealias Head = HTTPTypes.HTTPRequest
    typealias Request = PledgeHTTPNetworking.HTTPRequest

    struct Row: Sendable {
        let url: String
        let scheme: String
        let authority: String
        let path: String
    }

    static let rows = [
        Row(url: "https://a.example/b?c", scheme: "https", authority: "a.example", path: "/b?c"),
        Row(url: "http://A.example:8080", scheme: "http", authority: "A.example:8080", path: "/"),
        Row(url: "HTTPS://a.example?q", scheme: "https", authority: "a.example", path: "/?q"),
        Row(
            url: "http://[::1]:81/%2F/..//#part", scheme: "http", authority: "[::1]:81",
            path: "/%2F/..//"),
        Row(url: "https://a.example/?", scheme: "https", authority: "a.example", path: "/?"),
    ]

    @Test(arguments: rows)
    func makesThePartsOfTheURL(_ row: Row) throws {
        let request = Request(.put, try #require(URL(string: row.url)), headers: ["X-A": "1"])
        let head = try Head(request)
        #expect(head.method == .put)
        #expect(head.scheme == row.scheme)
        #expect(head.authority == row.authority)
        #expect(head.path == row.path)
        #expect(head.headerFields.map(\.description) == ["X-A: 1"])
        let back = try Request(head)
        #expect(back.url.absoluteString == "\(row.scheme)://\(row.authority)\(row.path)")
        #expect(back.method == .put)
        #expect(back.headers == request.headers)
    }

    @Test func hasTheFieldsThatAreSent() throws {
        var request = Request(
            .post, try #require(URL(string: "https://a.example/")),
            headers: ["Host": "A.example", "Content-Length": "2"],
            body: .data(Data("{}".utf8), contentType: "application/json"))
        request.context.idempotencyKey = "k"
        #expect(
            try Head(request).headerFields.map(\.description)
                == ["Content-Type: application/json", "Idempotency-Key: k"])
    }

    @Test func takesTheBodyThatItIsGiven() throws {
        let head = Head(method: .post, scheme: "http", authority: "a", path: "/")
        let body = Request.Body.data(Data("x".utf8), contentType: "text/plain")
        #expect(try Request(head, body: body).body == body)
    }

    @Test func takesHostForAMissingAuthority() throws {
        let head = Head(
            method: .get, scheme: "http", authority: nil, path: "/b",
            headerFields: [HTTPField.Name("Host")!: "a.example:81"])
        let request = try Request(head)
        #expect(request.url.absoluteString == "http://a.example:81/b")
        #expect(request.headers.isEmpty)
    }

    @Test(arguments: [
        ("ftp://a.example/", [:], ConversionError.invalidURL),
        ("/b", [:], .invalidURL),
        ("https://me:secret@a.example/", [:], .userInfoInURL),
        ("https://a.example/", ["Host": "b.example"], .hostDiffers),
        ("https://a.example/", ["a b": "c"], .invalidFieldName("a b")),
        ("https://a.example/", ["X": "a\r\nb"], .invalidFieldValue(name: "X")),
    ])
    func refusesARequestThatWouldBeAnother(
        _ url: String, _ headers: [String: String], _ error: ConversionError
    ) throws {
        let request = Request(try #require(URL(string: url)), headers: HTTPHeaders(headers))
        #expect(throws: error) { try Head(request) }
    }

    @Test func refusesAMethodThatIsNoToken() throws {
        let request = Request("A B", try #require(URL(string: "https://a.example/")))
        #expect(throws: ConversionError.invalidMethod("A B")) { try Head(request) }
    }

    @Test(arguments: [
        (Head(method: .connect, scheme: nil, authority: "a:443", path: nil), "CONNECT"),
        (Head(method: .options, scheme: "https", authority: "a", path: "*"), "OPTIONS"),
    ])
    func refusesAHeadThatIsForNoResource(_ head: Head, _ method: String) {
        #expect(throws: ConversionError.notForAResource(method: method)) { try Request(head) }
    }

    @Test(arguments: [
        Head(method: .get, scheme: nil, authority: "a", path: "/"),
        Head(method: .get, scheme: "https", authority: nil, path: "/"),
        Head(method: .get, scheme: "https", authority: "a", path: nil),
        Head(method: .get, scheme: "https", authority: "a", path: ""),
        Head(method: .get, scheme: "https", authority: "a", path: "b"),
        Head(method: .get, scheme: "https", authority: "a", path: "/b#c"),
        Head(method: .get, scheme: "https", authority: "a", path: "/é"),
        Head(method: .get, scheme: "https", authority: "a", path: "/a b"),
        Head(method: .get, scheme: "https", authority: "a/b", path: "/c"),
        Head(method: .get, scheme: "https", authority: "a:99999", path: "/"),
        Head(method: .get, scheme: "ws", authority: "a", path: "/"),
    ])
    func refusesAHeadWithoutAURLThatSaysTheSame(_ head: Head) {
        #expect(throws: ConversionError.invalidURL) { try Request(head) }
    }

    @Test func refusesAHeadWithAUserOrAnotherHost() {
        let user = Head(method: .get, scheme: "https", authority: "me@a", path: "/")
        #expect(throws: ConversionError.userInfoInURL) { try Request(user) }
        let other = Head(
            method: .get, scheme: "https", authority: "a", path: "/",
            headerFields: [HTTPField.Name("Host")!: "b"])
        #expect(throws: ConversionError.hostDiffers) { try Request(other) }
    }

    /// Random heads are refused, or come back as they were.
    @Test func keepsRandomHeads() throws {
        var generator = SeededGenerator(seed: 19)
        let pieces = [
            "a", "/", "..", "%41", "%", "?", "=", "&", ":", "8", "[::1]", "#", "@", "é", " ", "*",
        ]
        func text(_ longest: Int) -> String {
            (0..<Int.random(in: 0...longest, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
        }
        var kept = 0
        for _ in 0..<20_000 {
            let head = Head(
                method: .get, scheme: ["http", "https"].randomElement(using: &generator),
                authority: "a" + text(2), path: "/" + text(5))
            guard let request = try? Request(head) else { continue }
            kept += 1
            #expect(try Head(request) == head)
        }
        #expect(kept > 2000)
    }
}
#endif

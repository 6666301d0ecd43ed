#if HTTPTypes
import HTTPTypes
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeHTTPTypesConversions
import PledgeServices
import TestSupport
import Testing

struct HTTPRequestConversionTests {
    typealias Head = HTTPTypes.HTTPRequest
    typealias Request = PledgeHTTPMessages.HTTPRequest

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

struct HTTPResponseConversionTests {
    @Test(arguments: [0, 100, 200, 404, 599, 999])
    func keepsStatusAndFields(_ status: Int) throws {
        let response = PledgeHTTPMessages.HTTPResponse(
            status: status, headers: HTTPHeaders([("ETag", "\"1\""), ("Via", "a"), ("via", "b")]),
            body: Data("x".utf8))
        let head = try HTTPTypes.HTTPResponse(response)
        #expect(head.status.code == status)
        #expect(head.headerFields.map(\.description) == ["ETag: \"1\"", "Via: a", "via: b"])
        #expect(PledgeHTTPMessages.HTTPResponse(head, body: response.body) == response)
    }

    @Test(arguments: [-1, 1000])
    func refusesAStatusThatHasNotThreeDigits(_ status: Int) {
        #expect(throws: ConversionError.invalidStatus(status)) {
            try HTTPTypes.HTTPResponse(PledgeHTTPMessages.HTTPResponse(status: status))
        }
    }

    @Test func losesTheReasonPhrase() throws {
        let head = HTTPTypes.HTTPResponse(status: .init(code: 200, reasonPhrase: "Very well"))
        let back = try HTTPTypes.HTTPResponse(PledgeHTTPMessages.HTTPResponse(head))
        #expect(back.status.reasonPhrase == "")
        #expect(back.status.code == 200)
    }

    @Test func takesABodyOnItsWay() async throws {
        let head = HTTPTypes.HTTPResponse(
            status: .init(code: 203), headerFields: [.eTag: "\"1\""])
        let url = try #require(URL(string: "https://a.example/"))
        let response = HTTPStreamedResponse(
            head, body: HTTPBodyStream(Data("piece".utf8), chunksOf: 2), url: url)
        #expect(try HTTPTypes.HTTPResponse(response) == head)
        #expect(response.url == url)
        #expect(try await response.collected(upTo: 9).value.text == "piece")
    }
}

struct HTTPHeadersConversionTests {
    private func lines(_ headers: HTTPHeaders) -> [String] {
        headers.map { "\($0.name): \($0.value)" }
    }

    private func lines(_ fields: HTTPFields) -> [String] {
        fields.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test func keepsOrderCaseAndRepeatedFields() throws {
        let headers = HTTPHeaders([
            ("Set-Cookie", "a=1"), ("X-Tag", "one, two"), ("set-cookie", "b=2"), ("x-TAG", ""),
            ("Cookie", "a=1; b=2"), ("Cookie", "c=3"),
        ])
        let fields = try HTTPFields(headers)
        #expect(lines(fields) == lines(headers))
        #expect(lines(HTTPHeaders(fields)) == lines(headers))
    }

    @Test(arguments: ["é", "日本", "a\tb", "a  b", "~", "\u{A0}"])
    func sendsAValueAsUTF8(_ value: String) throws {
        let fields = try HTTPFields(["X": value])
        let bytes = fields[fields.startIndex].withUnsafeBytesOfValue { Array($0) }
        #expect(bytes == Array(value.utf8))
        #expect(HTTPHeaders(fields).values(for: "X") == [value])
    }

    @Test func readsAValueThatIsNotUTF8AsISO8859() throws {
        let fields: HTTPFields = [HTTPField.Name("X")!: "-"]
        var latin = fields
        latin[latin.startIndex] = HTTPField(
            name: HTTPField.Name("X")!, value: [0x63, 0x61, 0x66, 0xE9])
        #expect(HTTPHeaders(latin)["X"] == "café")
        // Which is the loss: the bytes are others on the way back.
        let back = try HTTPFields(HTTPHeaders(latin))
        #expect(
            back[back.startIndex].withUnsafeBytesOfValue { Array($0) } == Array("café".utf8))
    }

    @Test func losesTheIndexingStrategy() throws {
        var field = HTTPField(name: .authorization, value: "Bearer t")
        field.indexingStrategy = .disallow
        let back = try HTTPFields(HTTPHeaders(HTTPFields([field])))
        #expect(back[fields: .authorization].map(\.indexingStrategy) == [.automatic])
        #expect(back[.authorization] == "Bearer t")
    }

    @Test(arguments: [":path", ":status", "", "a b", "ä", "X\r\nY"])
    func refusesANameThatIsNoField(_ name: String) {
        #expect(throws: ConversionError.invalidFieldName(name)) {
            try HTTPFields(HTTPHeaders([(name, "v")]))
        }
    }

    @Test(arguments: ["a\r\nb", "a\u{0}b", "a\nb", "a\u{7F}b", "a\u{1}b"])
    func refusesAValueThatWouldBeChanged(_ value: String) {
        #expect(throws: ConversionError.invalidFieldValue(name: "X")) {
            try HTTPFields(HTTPHeaders([("X", value)]))
        }
    }

    @Test func refusesMoreFieldsThanTheOtherHolds() throws {
        let most = HTTPHeaders((1...65_534).map { ("x", "\($0)") })
        #expect(try HTTPFields(most).count == 65_534)
        var more = most
        more.add("1", for: "y")
        #expect(throws: ConversionError.tooManyFields(65_535)) { try HTTPFields(more) }
    }

    /// Random fields of all that may be sent, and back.
    @Test func keepsRandomFields() throws {
        var generator = SeededGenerator(seed: 19)
        let names = ["Accept", "accept", "X-A", "Set-Cookie", "Cookie", "x~'!", "Host2"]
        let pieces = ["a", "Z", " ", "\t", "=", ";", ",", "\"", "é", "日", "😀", "\u{A0}", "~"]
        for _ in 0..<2000 {
            let headers = HTTPHeaders(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    let value = (0..<Int.random(in: 0...8, using: &generator))
                        .map { _ in pieces.randomElement(using: &generator)! }.joined()
                    return (names.randomElement(using: &generator)!, value)
                })
            let valid = headers.allSatisfy { HTTPField.isValidValue($0.value) }
            try #require(valid)
            #expect(lines(HTTPHeaders(try HTTPFields(headers))) == lines(headers))
        }
    }
}

struct HTTPMethodConversionTests {
    @Test(arguments: ["GET", "QUERY", "PURGE", "get", "M-SEARCH", "!#$%&'*+-.^_`|~"])
    func keepsTheWord(_ word: String) {
        let method = HTTPTypes.HTTPRequest.Method(HTTPMethod(rawValue: word))
        #expect(method?.rawValue == word)
        #expect(method.map { HTTPMethod($0) } == HTTPMethod(rawValue: word))
    }

    @Test(arguments: ["", "GET ", "GÉT", "GET\r\nX: y", "a:b"])
    func hasNoneForAWordThatIsNoToken(_ word: String) {
        #expect(HTTPTypes.HTTPRequest.Method(HTTPMethod(rawValue: word)) == nil)
    }
}
#endif

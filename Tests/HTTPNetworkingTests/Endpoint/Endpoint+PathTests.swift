import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@Suite struct EndpointPathTests {
    private let base = URL(string: "https://api.example.com/v1")

    /// The text after the base; nil if there is no URL.
    private func sent(_ path: Endpoint.Path, _ items: [URLQueryItem] = []) -> String? {
        let endpoint = Endpoint(path: path, query: .init(items), base: base)
        return endpoint.url.map {
            String($0.absoluteString.dropFirst("https://api.example.com/v1".count))
        }
    }

    @Test func aLiteralHasAQuery() {
        let term = "50% off & more"
        let endpoint = Endpoint(path: "/search?q=\(term)&page=\(2)", base: base)
        #expect(
            endpoint.url?.absoluteString
                == "https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=2")
        #expect(Endpoint(path: "/search?q=x", base: base).url?.query() == "q=x")
    }

    static let hostile = [
        "http://169.254.169.254/latest", "https://evil.example", "//evil.example/x", "/etc/passwd",
        "\\\\evil\\x", "a/..b/c", "?admin=1", "#top", "%2F..%2F", "%", "%2",
        "a&b=c", "a=b", "+", "a b", "..;", ";x=1", "é\u{301}", "\r\nHost: evil", "\0", "@evil",
        ":80",
        "http:", "\u{301}", "👩‍👩‍👧", "%00",
    ]

    @Test(arguments: hostile) func aTenantNeverLeavesItsSegment(tenant: String) throws {
        let sent = Locked([HTTPRequest]())
        let service: HTTPService = stack(.defaultHeaders(["X-API-Key": "secret"])) { request in
            sent.withLock { $0.append(request) }
            return Future(value: HTTPResponse(status: 200))
        }
        let api = makeNetworking(over: service, base: base)
        for endpoint in [Endpoint(path: "\(tenant)/items"), Endpoint(path: "/\(tenant)/items")] {
            #expect(api(endpoint).hasSucceeded)
        }
        for request in sent.withLock({ $0 }) {
            let read = try #require(RFC3986URL(request.url.absoluteString))
            #expect(read.scheme == "https" && read.authority == "api.example.com")
            #expect(read.segments == ["", "v1", tenant, "items"].map { Array($0.utf8) })
            #expect(read.query == nil && read.fragment == nil)
        }
        #expect(sent.withLock { $0.count } == 2)
    }

    /// nginx decodes "%2F" before it removes dot segments; IIS reads a backslash as a slash.
    @Test(arguments: [
        "../../admin", "..\\..\\admin", "../..", "a/..", "a/../b", "a/./b", "./a", "a\\.", "/..",
        "../",
        "a/..\\b", "//../x", "é/../x", "/.", "\0/..",
    ])
    func aValueWithADotSegmentHasNoURL(tenant: String) {
        for path: Endpoint.Path in [
            "/tenants/\(tenant)/items", "/\(tenant)", "\(tenant)?q=1", "/\(tenant)\("/x")",
        ] { #expect(sent(path) == nil, "\(path)") }
        #expect(throws: Endpoint.Error.dotSegment) {
            try Endpoint(path: "/tenants/\(tenant)/items", base: base).validate()
        }
        #expect(sent("/a?q=\(tenant)&\(tenant)=1") != nil)
    }

    @Test func aDotSegmentOfSeveralPartsBetweenEncodedSlashesHasNoURL() {
        let up = "..", slash = "/", back = "\\"
        let invalid: [Endpoint.Path] = [
            "/a%2F\(up)%2fb", "/a\(slash)..\(slash)b", "/a\(back).\(".")/b", "/%FF%2F\(up)",
            "/a%2F..", "/a%5C%2e%2E%5cb", "/a%2F../b", "/a/..\\b",
        ]
        for path in invalid { #expect(sent(path) == nil, "\(path)") }
        #expect(Endpoint(path: "/a/..\\b", base: base).url == nil)
        #expect(sent("/v\("../x")") == "/v..%2Fx" && sent("/\("a/..")b") == "/a%2F..b")
        #expect(sent("/\("a/.../b")/\(".a/b.")") == "/a%2F...%2Fb/.a%2Fb.")
    }

    @Test(arguments: hostile) func aTermNeverLeavesItsValue(term: String) throws {
        let url = try #require(Endpoint(path: "/s?q=\(term)&\(term)=1", base: base).url)
        let read = try #require(RFC3986URL(url.absoluteString))
        #expect(read.segments == ["", "v1", "s"].map { Array($0.utf8) })
        let wanted = [["q", term], [term, "1"]].map { $0.map { Array($0.utf8) } }
        #expect(read.query == wanted && read.fragment == nil)
    }

    @Test func aPathHeldInAVariableIsAPathAndNothingElse() {
        let text = "/a?b#c%2F"
        #expect(
            Endpoint(path: text, base: base).url?.absoluteString.hasSuffix("/v1/a%3Fb%23c%252F")
                == true)
        #expect(
            Endpoint(path: text.dropFirst(), base: base).url == Endpoint(path: text, base: base).url
        )
        #expect(Endpoint(path: text).path == text)
    }

    @Test(arguments: [
        "http://h/x", "HTTPS://h/x", "ftp://h", "http://", "a/../b", "..", "/.", "/./x", "/a/..",
    ])
    func aTextThatIsAURLOrHasDotSegmentsIsRefused(text: String) {
        for base in [base, nil] { #expect(Endpoint(path: text, base: base).url == nil) }
        let expected = text.contains(":") ? Endpoint.Error.invalidURL : .dotSegment
        #expect(throws: expected) { try Endpoint(path: text, base: base).validate() }
        #expect(Endpoint(path: "\(verbatim: text)", base: base).url == nil)
    }

    @Test func aVerbatimTextIsReadAsALiteralIs() {
        let text = "/a%2Fb?q=a+b&r[]=é#top"
        #expect(sent("\(verbatim: text)") == "/a%2Fb?q=a+b&r%5B%5D=%C3%A9")
        #expect(sent("\(verbatim: text)") == sent("/a%2Fb?q=a+b&r[]=é#top"))
        #expect(sent("\(verbatim: text.prefix(6))") == "/a%2Fb")
        for text in ["../a", "/a/%2e%2E", ".", "/%2e/x?y", "/.%2E"] {
            #expect(sent("\(verbatim: text)") == nil)
        }
    }

    @Test func verbatimTextStandsBesideValuesThatAreData() {
        let place = "/a%2Fb/c?q=1"
        #expect(sent("\(verbatim: place)&r=\("x&y")") == "/a%2Fb/c?q=1&r=x%26y")
        #expect(sent("/\("a/b")\(verbatim: "/c?x")=\("?")") == "/a%2Fb/c?x=%3F")
        #expect(sent("\(verbatim: "http")\(verbatim: "://h/x")") == nil)
        #expect(sent("/a\(verbatim: "/.")\(verbatim: ".")") == nil)
    }

    @Test func anArrayInAQueryRepeatsItsName() {
        enum Order: String, Endpoint.QueryValue { case name }
        let ids = [7, 9], none: [String] = [], nothing: Int? = nil, id = UUID()
        let query: Endpoint.Query = [
            "id": ids, "tag": ["a&b", "c"], "none": none, "nothing": nothing, "by": Order.name,
            "orders": [Order.name], "key": id, "on": true, "price": 1.5,
        ]
        #expect(
            Endpoint(path: "/s", query: query, base: base).url?.query()
                == "id=7&id=9&tag=a%26b&tag=c&by=name&orders=name&key=\(id.uuidString)&on=true&price=1.5"
        )
    }

    @Test func aValueThatIsARawValueAndATextIsItsText() {
        struct Code: RawRepresentable, LosslessStringConvertible {
            let rawValue: String
            init(rawValue: String) { self.rawValue = rawValue }
            init(_ description: String) { rawValue = description }
            var description: String { "code-\(rawValue)" }
        }
        #expect(sent("/\(Code("x"))") == "/code-x")
    }

    @Test func anEndpointIsCreatedWithItsContext() {
        let context = HTTPRequest.Context(tags: ["a": "b"])
        #expect(Endpoint(path: "/x", context: context).context.tags == ["a": "b"])
        #expect(Endpoint(path: String("/x"), context: context).context.tags == ["a": "b"])
    }

    @Test func valuesAreEncodedAsTheirPlaceNeeds() {
        let all = "/\\?#%&=+; é"
        #expect(sent("/\(all)/x") == "/%2F%5C%3F%23%25&=%2B%3B%20%C3%A9/x")
        #expect(sent("/x?\(all)=\(all)") == "/x?\(encodedInQuery)=\(encodedInQuery)")
    }

    private let encodedInQuery = "%2F%5C%3F%23%25%26%3D%2B%3B%20%C3%A9"

    @Test func anEmptyValueThatIsAWholeSegmentIsInvalid() {
        let none = ""
        let invalid: [Endpoint.Path] = [
            "/\(none)", "\(none)", "\(none)/a", "/a/\(none)/b", "/a/\(none)?q=1",
            "/a/\(none)\(none)",
            "/a/\(none)#b",
        ]
        for path in invalid { #expect(sent(path) == nil, "\(path)") }
        #expect(
            sent("/v\(none)") == "/v" && sent("/\(none)v") == "/v" && sent("/\(none)\("v")") == "/v"
        )
        #expect(sent("/a?q=\(none)&r=\(1)") == "/a?q=&r=1" && sent("/a?\(none)") == "/a?")
    }

    @Test func aFinishedSegmentThatIsADotOrTwoIsInvalid() {
        let dot = "."
        let invalid: [Endpoint.Path] = [
            "/\(dot)", "/\(dot)\(dot)", "/.\(dot)", "/%2e\(dot)/x", "/\("..")", "\(dot)/x",
            "/a/\("..")?q",
            "/..", "/a/%2E%2e/b", "./x",
        ]
        for path in invalid { #expect(sent(path) == nil, "\(path)") }
        #expect(
            sent("/...") == "/..." && sent("/.\("a")") == "/.a" && sent("/\("%2e")") == "/%252e")
        #expect(sent("/a?q=\("..")&r=/../") == "/a?q=..&r=/../")
    }

    @Test func aLiteralThatIsAURLOrBeginsWithTwoSlashesIsInvalid() {
        let host = "evil.example"
        let invalid: [Endpoint.Path] = [
            "http://evil.example/x", "HTTPS://evil.example", "ftp://evil.example",
            "//evil.example/x", "//",
            "https://\(host)/x", "//\(host)", "\("https")://\(host)", "mailto:me@evil.example",
        ]
        for path in invalid {
            #expect(sent(path) == nil, "\(path)")
            #expect(Endpoint(path: path).url == nil, "\(path)")
        }
        #expect(sent("/http://x") == "/http://x" && sent("/a//b") == "/a//b")
    }

    @Test func aLiteralStandsAsItIsWritten() {
        #expect(sent("/a+b%2Fc;d=e/?f=g+h&i=%26") == "/a+b%2Fc;d=e/?f=g+h&i=%26")
        #expect(sent("/a b/é/%/%4/\\?[x]=\"\n") == "/a%20b/%C3%A9/%25/%254/%5C?%5Bx%5D=%22%0A")
        // The percent sign of a literal is encoded, so a value cannot complete an escape.
        #expect(sent("/%\("2F")/%2\("F")") == "/%252F/%252F")
    }

    @Test func withoutALeadingSlashTheBasesPathIsExtended() {
        #expect(sent("a/b") == "/a/b" && sent("\("a")?q=1") == "/a?q=1" && sent("?q=1") == "?q=1")
        let key = URL(string: "https://h/v1/?key=1")
        #expect(
            Endpoint(path: "a?q=2", base: key).url?.absoluteString == "https://h/v1/a?key=1&q=2")
    }

    @Test(arguments: ["..", ".", "a/../b", "..\\x"])
    func theErrorOfAPathSaysWhatIsWrongWithThePath(_ id: String) throws {
        let error = #expect(throws: Endpoint.Error.self) {
            try Endpoint(path: "/users/\(id)", base: base).validate()
        }
        #expect(error == .dotSegment)
        let words = try #require(error).description
        #expect(words.contains("path") && words.contains(#""." or "..""#))
        #expect(!words.contains("scheme") && !words.contains("port"))
        for path: Endpoint.Path in ["/\("")/a", "/a/\("")?q=1", "\("")", "/a/\("")/\("")"] {
            #expect(throws: Endpoint.Error.emptySegment, "\(path)") {
                try Endpoint(path: path, base: base).validate()
            }
        }
    }

    @Test func invalidMeansThatThereIsNoURLAndAnErrorSaysSo() {
        let endpoint = Endpoint(path: "/users/\("")", base: base)
        #expect(endpoint.url == nil)
        #expect(throws: Endpoint.Error.emptySegment) { try endpoint.validate() }
        let api = makeNetworking(over: { _ in Future(value: HTTPResponse(status: 200)) })
        #expect(throws: Endpoint.Error.emptySegment) { try api(endpoint).result?.get() }
    }

    @Test func aFragmentIsNotSentAndHoldsNoValue() {
        #expect(sent("/a#b?c") == "/a" && sent("/a?b#c/\u{301}") == "/a?b")
        #expect(sent("/a#\(1)") == nil && sent("/a#b\("")") == nil)
    }

    @Test func itemsComeBehindTheQueryOfThePath() {
        let items = [URLQueryItem(name: "a", value: "&"), URLQueryItem(name: "b", value: nil)]
        #expect(sent("/s", items) == "/s?a=%26&b" && sent("/s?q=1", items) == "/s?q=1&a=%26&b")
        #expect(sent("/s?", items) == "/s?a=%26&b" && sent("/s?q=1&", items) == "/s?q=1&a=%26&b")
    }

    @Test func thePathReadsDecodedAndKeepsTheQueryWhereItIsSet() {
        var endpoint = Endpoint(path: "/a b/\("c/d")?q=\("e")", base: base)
        #expect(endpoint.path == "/a b/c%2Fd")
        endpoint.path = "/x?y"
        #expect(endpoint.url?.absoluteString == "https://api.example.com/v1/x%3Fy?q=e")
        endpoint.path = "/.."
        #expect(endpoint.url == nil)
        endpoint.path = "/z"
        #expect(endpoint.url?.absoluteString == "https://api.example.com/v1/z?q=e")
    }

    /// A slash is one character with a mark behind it, but is a byte of its own.
    @Test func noSlashOfAValueBecomesASeparatorWhereThePathIsSet() {
        var endpoint = Endpoint(path: "/\("a/\u{301}b")/\("/\u{200D}..")", base: base)
        #expect(Array(endpoint.path.utf8) == Array("/a%2F\u{301}b/%2F\u{200D}..".utf8))
        endpoint.path = "/v2" + endpoint.path
        #expect(endpoint.url?.path().split(separator: "/").count == 4)
    }

    @Test func thePlaceCountsAndNotHowItWasWritten() {
        let term = "a&b"
        let item = URLQueryItem(name: "q", value: term)
        let one = Endpoint(path: "/s?q=\(term)"), other = Endpoint(path: "/s", query: .init([item]))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(Endpoint(path: "/a/\(7)") == Endpoint(path: "/a/7" as String))
        #expect(Endpoint(path: "/s?q=a") != Endpoint(path: "/s?q=b"))
        #expect(Endpoint(path: "//h") != Endpoint(path: "//h" as String))
    }

    @Test func noTextShowsAValueOfTheQuery() {
        let path: Endpoint.Path = "/login?token=\("s3cret")&s3cret"
        let invalid: Endpoint.Path = "https://me:\("s3cret")@h/?t=s3cret"
        let endpoints = [
            Endpoint(path: path), Endpoint(path: path, base: base), Endpoint(path: invalid),
        ]
        for text in texts(of: path) + texts(of: invalid) + endpoints.flatMap(texts) {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(endpoints[0].description == "GET /login?token=…&…")
        let error = HTTPError(
            code: .unacceptableStatus, endpoint: endpoints[0],
            response: HTTPResponse(status: 400, body: Data("no s3cret here".utf8)))
        #expect(!error.description.contains("s3cret"))
    }
}

@Suite struct EndpointPathInterpolationTests {
    private enum Kind: String { case book = "a/b" }
    private enum Number: Int { case seven = 7 }
    private enum Letter: Character { case slash = "/" }
    private enum Share: Double { case half = 0.5 }
    private struct Flag: RawRepresentable { var rawValue: Bool }
    private struct Key: RawRepresentable { var rawValue: UUID }

    private func path(_ path: Endpoint.Path) -> String? {
        Endpoint(path: path, base: URL(string: "https://h")).url.map {
            String($0.absoluteString.dropFirst("https://h/".count))
        }
    }

    @Test func textInAPathIsAValue() {
        let text = "a/b", letter: Character = "?"
        #expect(path("/\(text)/\(text.prefix(2))/\(letter)") == "a%2Fb/a%2F/%3F")
    }

    @Test func numbersInAPathAreValues() {
        #expect(path("/\(-7)/\(UInt8.max)/\(Int64.min)") == "-7/255/-9223372036854775808")
        #expect(path("/\(1.5)/\(Float(0.25))/\(1e20)?\(1e20)") == "1.5/0.25/1e%2B20?1e%2B20")
    }

    @Test func truthAndUUIDsInAPathAreValues() throws {
        let id = try #require(UUID(uuidString: "0EBA594E-D93A-4FDC-8E8B-F73860D423F9"))
        #expect(path("/\(true)/\(false)/\(id)") == "true/false/\(id.uuidString)")
    }

    @Test func rawValuesInAPathAreValues() throws {
        let id = try #require(UUID(uuidString: "0EBA594E-D93A-4FDC-8E8B-F73860D423F9"))
        #expect(
            path("/\(Kind.book)/\(Number.seven)/\(Letter.slash)/\(Share.half)") == "a%2Fb/7/%2F/0.5"
        )
        #expect(path("/\(Flag(rawValue: true))/\(Key(rawValue: id))") == "true/\(id.uuidString)")
    }
}

/// Random literals with random values, read by an independent parser.
@Suite(.oneAtATime) struct EndpointPathPropertyTests {
    @Test(arguments: 0..<40) func everyValueComesBackWholeAndInItsPlace(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = URL(string: "https://api.example.com/v1")
        for _ in 0..<100 {
            let wanted = RandomPath(using: &random)
            let endpoint = Endpoint(path: wanted.path, base: base)
            guard wanted.isValid else {
                #expect(endpoint.url == nil, "\(wanted)")
                continue
            }
            let url = try #require(endpoint.url, "\(wanted)").absoluteString
            let read = try #require(RFC3986URL(url), "\(url)")
            #expect(read.scheme == "https" && read.authority == "api.example.com", "\(url)")
            #expect(read.segments == [[], Array("v1".utf8)] + wanted.segments, "\(url)")
            #expect(read.query ?? [] == wanted.query, "\(url)")
            #expect(read.fragment == nil, "\(url)")
        }
    }

    @Test(arguments: 0..<40) func aTextIsOnePathWhateverItHolds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let wanted = RandomPath(using: &random)
            let segments = wanted.segments.map { String(decoding: $0, as: UTF8.self) }
            let text = "/" + segments.joined(separator: "/")
            let endpoint = Endpoint(path: text, base: URL(string: "https://h"))
            let parts = Array(text.utf8).split(separator: 47, omittingEmptySubsequences: false)
            if RandomPath.hasDotSegment(text.utf8) {
                #expect(endpoint.url == nil, "\(text)")
                continue
            }
            let url = try #require(endpoint.url, "\(text)").absoluteString
            let read = try #require(RFC3986URL(url), "\(url)")
            #expect(read.segments == parts.map(Array.init) && read.query == nil, "\(url)")
            #expect(endpoint.path.utf8.elementsEqual(text.utf8), "\(url)")
        }
    }
}

/// A path of random literals and values, and the parts that a server must read.
struct RandomPath {
    /// The path that the literal makes.
    let path: Endpoint.Path
    /// The segments that a server must read.
    private(set) var segments: [[UInt8]] = []
    /// The names and values that a server must read.
    private(set) var query: [[[UInt8]]] = []
    /// Whether it has a URL.
    private(set) var isValid = true

    init(using random: inout SeededGenerator) {
        var literal = Endpoint.Path.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for index in 0..<Int.random(in: 1...3, using: &random) {
            if index > 0 || Bool.random(using: &random) { literal.appendLiteral("/") }
            let place = Self.place(of: &literal, using: &random)
            segments.append(place)
            if place.isEmpty || Self.hasDotSegment(place) { isValid = false }
        }
        for index in 0..<Int.random(in: 0...3, using: &random) {
            literal.appendLiteral(index > 0 ? "&" : "?")
            var item = [Self.place(of: &literal, using: &random)]
            if Bool.random(using: &random) {
                literal.appendLiteral("=")
                item.append(Self.place(of: &literal, using: &random))
            }
            query.append(item)
        }
        path = Endpoint.Path(stringInterpolation: literal)
    }

    /// Whether a server that decodes a path first, and reads a backslash as a slash, finds a dot segment.
    static func hasDotSegment(_ path: some Collection<UInt8>) -> Bool {
        path.split { $0 == 47 || $0 == 92 }
            .contains { [[46], [46, 46]].contains(Array($0)) }
    }

    /// Writes a segment, a name or a value: at least one piece of text or one value, which may be empty.
    private static func place(
        of literal: inout Endpoint.Path.StringInterpolation, using random: inout SeededGenerator
    ) -> [UInt8] {
        var read: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            if Bool.random(using: &random), let text = texts.randomElement(using: &random) {
                literal.appendLiteral(text.written)
                read += text.read.utf8
            } else {
                let value = value(using: &random)
                literal.appendInterpolation(value)
                read += value.utf8
            }
        }
        return read
    }

    /// Up to five characters: half of them ASCII, a quarter of them with a meaning in URLs.
    private static func value(using random: inout SeededGenerator) -> String {
        var value = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let scalar =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: "/\\?#%&=+.;:@ \0\n".unicodeScalars.randomElement(using: &random)
                case 1: Unicode.Scalar(UInt32.random(in: 0..<128, using: &random))
                case 2: Unicode.Scalar(UInt32.random(in: 0..<0x3000, using: &random))
                default: Unicode.Scalar(UInt32.random(in: 0..<0x110000, using: &random))
                }
            if let scalar { value.append(scalar) }
        }
        return String(value)
    }

    /// Texts of a literal, and the texts that a server reads for them.
    private static let texts: [(written: String, read: String)] = [
        ("a", "a"), ("x-y~", "x-y~"), (".", "."), ("%2e", "."), ("%2F", "/"), ("%3f%26", "?&"),
        ("a+b", "a+b"), ("é", "é"), (" ", " "), ("%", "%"), ("%4", "%4"), ("%é", "%é"),
        ("[1]", "[1]"), ("\\", "\\"), (";@:", ";@:"), ("\u{301}", "\u{301}"),
    ]
}

/// The parts of a URL according to RFC 3986 (appendix B), in bytes.
///
/// It shares no code with the code that makes URLs.
struct RFC3986URL {
    let scheme: String
    let authority: String
    /// The decoded segments; the first segment of an absolute path is empty.
    let segments: [[UInt8]]
    /// The decoded items of the query: a name, and the text after the first "=".
    let query: [[[UInt8]]]?
    let fragment: String?

    /// Parses a URL; nil if a byte is not allowed at its place.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func take(upTo ends: String) -> [UInt8] {
            let part = rest.prefix { !ends.utf8.contains($0) }
            rest = rest[part.endIndex...]
            return Array(part)
        }
        scheme = String(decoding: take(upTo: ":/?#"), as: UTF8.self)
        guard rest.starts(with: "://".utf8) else { return nil }
        rest = rest.dropFirst(3)
        authority = String(decoding: take(upTo: "/?#"), as: UTF8.self)
        let path = take(upTo: "?#")
        let search = rest.first == UInt8(ascii: "?") ? take(upTo: "#") : nil
        fragment = rest.isEmpty ? nil : String(decoding: rest.dropFirst(), as: UTF8.self)
        guard Self.isAllowed(path, punctuation: "-._~!$&'()*+,;=:@/"),
            Self.isAllowed(search?.dropFirst() ?? [], punctuation: "-._~!$&'()*+,;=:@/?")
        else { return nil }
        segments = Self.split(path[...], at: "/").map(Self.decoded)
        query = search.map { search in
            Self.split(search.dropFirst(), at: "&").map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                return
                    ([name] + (name.endIndex < item.endIndex ? [item[(name.endIndex + 1)...]] : []))
                    .map(Self.decoded)
            }
        }
    }

    private static func split(_ bytes: ArraySlice<UInt8>, at mark: Unicode.Scalar) -> [ArraySlice<
        UInt8
    >] {
        bytes.split(separator: UInt8(ascii: mark), omittingEmptySubsequences: false)
    }

    private static func isAllowed(_ bytes: some Sequence<UInt8>, punctuation: String) -> Bool {
        let others = punctuation + "%"
        return bytes.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80
                && (character.isLetter || character.isNumber || others.contains(character))
        }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rest = bytes
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                // A single "%" is not valid: it becomes a byte that no test expects.
                decoded.append(UInt8(digits, radix: 16) ?? 0xFF)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

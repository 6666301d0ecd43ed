import HTTPTestSupport
import PledgeHTTPAuthentication
import Testing

@testable import PledgeHTTPMessages

@Suite struct HTTPHeadersTests {
    @Test func headersAreFoundWhateverTheirCase() {
        var headers: HTTPHeaders = ["Content-Type": "a"]
        #expect(headers["content-TYPE"] == "a")
        headers["CONTENT-type"] = "b"
        #expect(headers.count == 1 && headers["Content-Type"] == "b")
        headers["content-type"] = nil
        #expect(headers.isEmpty && headers["Content-Type"] == nil)
    }

    @Test func lettersOfOtherScriptsAreNotTakenForASCII() {
        // The Kelvin sign's lower case is an ASCII k.
        let headers: HTTPHeaders = ["\u{212A}ey": "a"]
        #expect(headers["key"] == nil)
    }

    @Test func aNameMayHaveManyValues() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        #expect(headers.values(for: "A") == ["1", "3"])
        #expect(headers["a"] == "1, 3")
        headers.add("4", for: "A")
        #expect(headers.map(\.value) == ["1", "2", "3", "4"])
        headers.set("5", for: "a")
        #expect(headers.map(\.name) == ["a", "B"] && headers.map(\.value) == ["5", "2"])
        headers.remove("A")
        #expect(headers.values(for: "a").isEmpty && headers.count == 1)
    }

    @Test func cookiesAreNotJoinedByCommas() {
        let headers = HTTPHeaders([
            ("Set-Cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT"), ("Set-Cookie", "b=2"),
            ("Cookie", "a=1"), ("Cookie", "b=2"),
        ])
        #expect(headers["set-cookie"] == "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT")
        #expect(headers.values(for: "set-cookie").count == 2)
        #expect(headers["cookie"] == "a=1; b=2")
    }

    @Test func whiteSpaceAroundAValueIsNoPartOfIt() {
        var headers: HTTPHeaders = ["A": " \ta \t b\t ", "B": " ", "C": "c\r\n"]
        #expect(headers["A"] == "a \t b" && headers["B"] == "")
        #expect(headers["C"] == "c\r\n", "what must be refused is not hidden")
        headers["A"] = "\u{301} x"
        #expect(headers["A"] == "\u{301} x")
    }

    @Test func orderMattersOnlyWithinAName() {
        let one = HTTPHeaders([("A", "1"), ("B", "2"), ("A", "3")])
        let same = HTTPHeaders([("b", "2"), ("a", "1"), ("a", "3")])
        let other = HTTPHeaders([("A", "3"), ("B", "2"), ("A", "1")])
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != other)
        #expect(one != HTTPHeaders([("A", "1"), ("B", "2")]))
        #expect(["A": "x"] as HTTPHeaders != ["A": "X"])
    }

    @Test func theTextsOfHeadersShowNoSecret() {
        let names = [
            "Authorization", "PROXY-AUTHORIZATION", "Cookie", "set-cookie", "X-API-Key",
            "X-Auth-Token",
            "X-My-Own", "Location", "WWW-Authenticate",
        ]
        let headers = HTTPHeaders(names.map { ($0, "s3cret") } + [("Accept", "text/plain")])
        for text in texts(of: headers) {
            #expect(!text.contains("s3cret") && text.contains("Accept: text/plain"))
            #expect(names.allSatisfy(text.contains))
        }
    }

    @Test func theTextsOfHeadersShowNoControlCharacter() {
        let headers: HTTPHeaders = ["A\r\n": "x", "Accept": "a\r\nB: c\u{1B}"]
        #expect(headers.description == #"[A\r\n: …, Accept: a\r\nB: c\u{1B}]"#)
    }

    @Test func aDictionaryMakesAListInOrderOfNames() {
        let fields = ["b": "2", "A": "1", "c": "3"]
        #expect(HTTPHeaders(fields).map(\.name) == ["A", "b", "c"])
        #expect(HTTPHeaders(fields)["B"] == "2")
    }

    private func received(_ fields: [(String, [UInt8])]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, bytes) in fields {
            bytes.withUnsafeBytes { headers.add(received: $0, for: name) }
        }
        return headers
    }

    @Test func bytesStayWithTheirValues() {
        var headers = received([
            ("A", [0xE9]), ("B", [0x32]), ("A", [0xC3, 0xA9]), ("C", [0x20, 0x85, 0x09]),
        ])
        headers.remove("B")
        #expect(headers.map(\.value) == ["é", "é", "\u{85}"])
        #expect(headers.received("a").map(\.bytes) == [[0xE9], [0xC3, 0xA9]])
        headers.set("é", for: "A")
        #expect(headers.received("A").map(\.keptBytes) == [nil])
        #expect(headers.received("C").map(\.bytes) == [[0x85]])
        headers.set(bytes: [0x31, 0xFF], for: "c")
        #expect(headers.received("C").map(\.bytes) == [[0x31, 0xFF]] && headers["C"] == "1\u{FF}")
        headers.add("2", for: "Connection")
        #expect(headers.withoutConnection.received("C").map(\.bytes) == [[0x31, 0xFF]])
    }

    /// Copying the value for each line would take longer than the watchdog allows.
    @Test(arguments: [[UInt8]("b".utf8), [0xE9]])
    func foldedLinesTakeLinearTime(line: [UInt8]) {
        var headers = received([("A", [0x61])])
        let count = 500_000
        for _ in 0..<count {
            guard line.withUnsafeBytes({ headers.fold(received: $0) }) else {
                Issue.record("no value to continue")
                return
            }
        }
        #expect(headers["A"]?.count == 1 + 2 * count)
        let expected = [UInt8]("a".utf8) + Array(repeating: [0x20] + line, count: count).joined()
        #expect((headers.bytes(at: 0) ?? Array((headers["A"] ?? "").utf8)) == expected)
    }

    @Test func aFoldedLineKeepsTheBytesBeforeIt() {
        var headers = received([("A", [0xE9])])
        for line: [UInt8] in [[0x20, 0x62], [0x20], [0x20, 0xC3, 0xA9]] {
            #expect(line.withUnsafeBytes { headers.fold(received: $0) })
        }
        #expect(headers.bytes(at: 0) == [0xE9, 0x20, 0x62, 0x20, 0xC3, 0xA9])
        #expect(headers["A"] == "é b é")
    }

    @Test func equalHeadersHaveEqualBytes() {
        #expect(received([("A", [0xC3, 0xA9])]) == ["A": "é"])
        #expect(received([("A", [0xE9])]) != ["A": "é"])
        #expect(
            received([("A", [0xE9]), ("B", [0x31])]) == received([("b", [0x31]), ("a", [0xE9])]))
    }

    @Test func whatAPlatformHasLostIsNotReturned() {
        #expect(ReceivedValue(text: "a\u{FFFD}").returnable == nil)
        #expect(ReceivedValue(text: "a\u{FFFD}", bytes: [0x61, 0xFF]).returnable == [0x61, 0xFF])
        for byte in UInt8.min...UInt8.max {
            let value = received([("A", [0x61, byte, 0x62])]).received("A").first
            let isControl = byte < 0x20 && byte != 9 || byte == 0x7F
            let isLineEnd = [0, 10, 13].contains(byte)
            #expect(
                value?.returnable
                    == (isLineEnd ? [0x61, 0x20, 0x62] : isControl ? nil : [0x61, byte, 0x62]))
        }
    }
}

@Suite struct HTTPHeadersValidityTests {
    /// The characters of RFC 9110, section 5.6.2.
    private let token = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    )

    @Test func exactlyTheCharactersOfATokenMakeAName() {
        for byte in UInt8(0)..<128 {
            let name = "a" + String(Character(Unicode.Scalar(byte)))
            #expect(HTTPHeaders.isValid(name: name, value: "") == token.contains(byte), "\(byte)")
        }
        #expect(!HTTPHeaders.isValid(name: "", value: ""))
        #expect(!HTTPHeaders.isValid(name: "é", value: ""))
    }

    @Test func noControlCharacterButTabMakesAValue() {
        for byte in UInt8(0)..<128 {
            let value = "a" + String(Character(Unicode.Scalar(byte))) + "b"
            let isAllowed = byte == 9 || (byte >= 32 && byte != 127)
            #expect(HTTPHeaders.isValid(name: "A", value: value) == isAllowed, "\(byte)")
        }
        #expect(HTTPHeaders.isValid(name: "A", value: "grüße 😀"))
        #expect(!HTTPHeaders.isValid(name: "A", value: "a\r\nb"), "one character, two scalars")
    }
}

struct HTTPHeadersFieldTextTests {
    @Test(arguments: [
        ([UInt8]("plain".utf8), "plain"),
        ([UInt8]("caf\u{e9} \u{20ac}".utf8), "caf\u{e9} \u{20ac}"),
        ([0x63, 0xE9], "c\u{e9}"), ([0xC3, 0xA9, 0xFF], "\u{c3}\u{a9}\u{ff}"),
        ([0x80, 0x9F], "\u{80}\u{9f}"), ([], ""),
    ])
    func aValueThatIsNotUTF8IsISO8859(bytes: [UInt8], text: String) {
        let read = HTTPHeaders.text(ofValue: bytes)
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }
}

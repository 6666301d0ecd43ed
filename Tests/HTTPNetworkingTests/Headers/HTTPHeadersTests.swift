import HTTPNetworking
import HTTPTestSupport
import Testing

@Suite struct HTTPHeadersTests {
    @Test func namesAreFoundWhateverTheirCase() {
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

    @Test func textsShowNoSecrets() {
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

    @Test func textsShowNoControlCharacters() {
        let headers: HTTPHeaders = ["A\r\n": "x", "Accept": "a\r\nB: c\u{1B}"]
        #expect(headers.description == #"[A\r\n: …, Accept: a\r\nB: c\u{1B}]"#)
    }

    @Test func aDictionaryMakesAListInOrderOfNames() {
        let fields = ["b": "2", "A": "1", "c": "3"]
        #expect(HTTPHeaders(fields).map(\.name) == ["A", "b", "c"])
        #expect(HTTPHeaders(fields)["B"] == "2")
    }
}

import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct SetCookieTests {
    private func read(_ text: String) -> SetCookie? { SetCookie(text, limit: 4_096) }

    private func pair(_ text: String) -> [String]? { read(text).map { [$0.name, $0.value] } }

    @Test(arguments: [
        ("a=b", ["a", "b"]), ("a=", ["a", ""]), (" \ta \t=\t b c ", ["a", "b c"]),
        ("a=b=c", ["a", "b=c"]), ("a=\"b\"", ["a", "\"b\""]), ("a=b;", ["a", "b"]),
        ("a=b; =c", ["a", "b"]), ("grün=ü", ["grün", "ü"]), ("a=1,2", ["a", "1,2"]),
        ("$Version=1", ["$Version", "1"]),
    ])
    func nameAndValueAreRead(_ text: String, _ expected: [String]) {
        #expect(pair(text) == expected)
    }

    @Test(arguments: [
        "", "a", ";", "; a=b", "=b", " =b", "a; b=c", "a=b\r\nX: y", "a=b\u{0}", "a=\u{7F}",
        "a=b; Path=/\u{1}", "a=\u{85}",
    ])
    func whatHasNoNameOrCouldNotBeSentIsRefused(_ text: String) {
        #expect(read(text) == nil)
    }

    @Test func aMarkOnASemicolonHidesNothing() {
        // "; Secure" with a combining mark on the semicolon is one character of Swift's.
        let header = read("a=b;\u{301}x; Secure")
        #expect(header?.value == "b")
        #expect(header?.isSecure == true)
    }

    @Test func theSizeIsBounded() {
        let name = String(repeating: "n", count: 96)
        #expect(read("\(name)=\(String(repeating: "v", count: 4_000))") != nil)
        #expect(read("\(name)=\(String(repeating: "v", count: 4_001))") == nil)
        #expect(read("a=b; Path=/\(String(repeating: "p", count: 1_024))")?.path == nil)
        #expect(read("a=b; Path=/\(String(repeating: "p", count: 1_023))")?.path != nil)
    }

    @Test func attributesAreReadInAnyCase() {
        let header = read(
            "a=b; eXpires=Sun, 06 Nov 1994 08:49:37 GMT; MAX-AGE=60; domain=.Example.COM; "
                + "PATH=/p; secure=no; httponly; SameSite=STRICT; Priority=High")
        #expect(header?.expires == HTTPDate(secondsSince1970: 784_111_777))
        #expect(header?.maxAge == 60)
        #expect(header?.domain == "example.com")
        #expect(header?.path == "/p")
        #expect(header?.isSecure == true && header?.isHTTPOnly == true)
        #expect(header?.sameSite == .strict)
    }

    @Test func whatIsNotSaidIsNotThere() {
        let header = read("a=b")
        #expect(header?.expires == nil && header?.maxAge == nil)
        #expect(header?.domain == nil && header?.path == nil && header?.sameSite == nil)
        #expect(header?.isSecure == false && header?.isHTTPOnly == false)
    }

    @Test func theLastOfAnAttributeCounts() {
        #expect(read("a=b; Path=/x; Path=/y")?.path == "/y")
        #expect(read("a=b; Path=/x; Path=y")?.path == nil)
        #expect(read("a=b; Domain=x.org; Domain=y.org")?.domain == "y.org")
        #expect(read("a=b; Domain=x.org; Domain=")?.domain == "x.org")
        #expect(read("a=b; Max-Age=5; Max-Age=x")?.maxAge == 5)
    }

    @Test(arguments: [
        ("0", 0), ("-1", 0), ("-0", 0), ("7", 7), ("99999999999999999999999", 1 << 31),
        ("-99999999999999999999999", 0), ("", nil), ("-", nil), ("+1", nil), ("1.5", nil),
        ("1 ", 1), ("٣", nil),
    ])
    func aMaxAgeIsDigits(_ text: String, _ age: Int64?) {
        #expect(read("a=b; Max-Age=\(text)")?.maxAge == age)
    }

    @Test(arguments: ["", ".", "\"\""])
    func anEmptyDomainIsNone(_ text: String) {
        #expect(read("a=b; Domain=\(text)")?.domain == (text == "\"\"" ? "\"\"" : nil))
    }
}

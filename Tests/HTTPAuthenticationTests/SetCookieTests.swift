import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookieSetCookieTests {
    private func cookie(
        _ text: String, from url: String = "https://www.example.com/shop/cart?x=/y",
        now: Int64 = 1_000, suffixes: Set<String> = []
    ) -> Cookie? {
        guard let header = SetCookie(text, limit: 4_096), let url = URL(string: url),
            let place = CookieURL(url)
        else { return nil }
        return Cookie(
            header, from: place, at: Date(secondsSince1970: now),
            isPublicSuffix: suffixes.contains)
    }

    @Test func withoutADomainItIsForTheHostAlone() {
        let plain = cookie("a=b", from: "https://WWW.Example.com:8443/shop/cart")
        #expect(plain?.domain == "www.example.com")
        #expect(plain?.isHostOnly == true)
        #expect(plain?.path == "/shop")
        #expect(plain?.expires == nil)
    }

    @Test(arguments: ["example.com", ".example.com", "www.example.com", "WWW.EXAMPLE.com"])
    func aHostMaySetForItselfAndAbove(_ domain: String) {
        let wide = cookie("a=b; Domain=\(domain)")
        #expect(wide?.isHostOnly == false)
        #expect("www.example.com".hasSuffix(wide?.domain ?? "-"))
    }

    @Test(arguments: [
        "other.com", "a.www.example.com", "ple.com", "com", ".com", "com.", "example.com.",
        "..example.com", "..", "localhost", "127.0.0.1",
    ])
    func aHostMayNotSetCookiesForOthers(_ domain: String) {
        #expect(cookie("a=b; Domain=\(domain)") == nil)
    }

    @Test func aSingleLabelIsForItselfOnly() {
        let local = cookie("a=b; Domain=localhost", from: "http://localhost:8080/")
        #expect(local?.isHostOnly == true)
        #expect(cookie("a=b; Domain=localhost", from: "http://a.localhost/") == nil)
    }

    @Test(arguments: ["127.0.0.1", "[::1]"])
    func anAddressIsForItselfOnly(_ host: String) {
        #expect(cookie("a=b; Domain=\(host)", from: "http://\(host)/")?.isHostOnly == true)
        #expect(cookie("a=b", from: "http://\(host)/")?.domain == host)
        #expect(cookie("a=b; Domain=0.0.1", from: "http://\(host)/") == nil)
    }

    @Test func aPublicSuffixIsForItselfOnly() {
        let suffixes: Set = ["co.uk"]
        let shop = "https://shop.co.uk/"
        #expect(cookie("a=b; Domain=co.uk", from: shop, suffixes: suffixes) == nil)
        #expect(cookie("a=b; Domain=shop.co.uk", from: shop, suffixes: suffixes) != nil)
        let own = cookie("a=b; Domain=co.uk", from: "https://co.uk/", suffixes: suffixes)
        #expect(own?.isHostOnly == true)
        #expect(cookie("a=b; Domain=co.uk", from: shop) != nil)
    }

    @Test func maxAgeGoesBeforeExpires() {
        let both = cookie("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(both?.expires == Date(secondsSince1970: 1_060))
        let later = cookie("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(later?.expires == Date(secondsSince1970: 784_111_777))
        #expect(cookie("a=b; Max-Age=0")?.isOver(at: .distantPast) == true)
        #expect(
            cookie("a=b; Max-Age=9", now: .max)?.expires == Date(secondsSince1970: 253_402_300_808))
    }

    @Test func secureComesFromHTTPSOnly() {
        #expect(cookie("a=b; Secure")?.isSecure == true)
        #expect(cookie("a=b; Secure", from: "http://www.example.com/") == nil)
        #expect(cookie("a=b", from: "http://www.example.com/") != nil)
    }

    @Test func aNameThatPromisesSomethingKeepsIt() {
        #expect(cookie("__Secure-a=b; Secure") != nil)
        #expect(cookie("__Secure-a=b") == nil)
        #expect(cookie("__SECURE-a=b") == nil)
        #expect(cookie("__Host-a=b; Secure; Path=/") != nil)
        #expect(cookie("__Host-a=b; Secure") == nil)
        #expect(cookie("__Host-a=b; Secure", from: "https://example.com/") == nil)
        #expect(cookie("__Host-a=b; Path=/") == nil)
        #expect(cookie("__host-a=b; Secure; Path=/; Domain=www.example.com") == nil)
        #expect(cookie("__Host-a=b; Secure; Path=/shop") == nil)
    }
}

@Suite struct SetCookieTests {
    private func read(_ text: String) -> SetCookie? { SetCookie(text, limit: 4_096) }

    private func pair(_ text: String) -> [String]? { read(text).map { [$0.name, $0.value] } }

    @Test(arguments: [
        ("a=b", ["a", "b"]), ("a=", ["a", ""]), (" \ta \t=\t b c ", ["a", "b c"]),
        ("a=b=c", ["a", "b=c"]), ("a=\"b\"", ["a", "\"b\""]), ("a=b;", ["a", "b"]),
        ("a=b; =c", ["a", "b"]), ("grün=ü", ["grün", "ü"]), ("a=1,2", ["a", "1,2"]),
        ("$Version=1", ["$Version", "1"]),
    ])
    func theNameAndTheValueOfACookieAreRead(_ text: String, _ expected: [String]) {
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

    @Test func theSizeOfACookieIsBounded() {
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
        #expect(header?.expires == Date(secondsSince1970: 784_111_777))
        #expect(header?.maxAge == 60)
        #expect(header?.domain == "example.com")
        #expect(header?.path == "/p")
        #expect(header?.isSecure == true && header?.isHTTPOnly == true)
        #expect(header?.sameSite == .strict)
    }

    @Test func anAttributeThatACookieLacksIsNotThere() {
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
    func aMaxAgeOfACookieIsDigits(_ text: String, _ age: Int64?) {
        #expect(read("a=b; Max-Age=\(text)")?.maxAge == age)
    }

    @Test(arguments: ["", ".", "\"\""])
    func anEmptyDomainOfACookieIsNone(_ text: String) {
        #expect(read("a=b; Domain=\(text)")?.domain == (text == "\"\"" ? "\"\"" : nil))
    }
}

@Suite struct CookieDateTests {
    /// 1994-11-06 08:49:37.
    private let seconds: Int64 = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "6 nov 1994 8:49:37", "1994 08:49:37 NOVEMBER 6th",
        "08:49:37x123 06 Nov 1994", "Sun,06/Nov/1994;08:49:37,UTC+5", "Nov,6,94,08:49:37",
        "x 06 Nov 1994 08:49:37 1 2 3 Dec 2010",
    ])
    func thePartsOfACookiesDateStandInAnyOrder(_ text: String) {
        #expect(CookieDate.date(text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [("69", 2069), ("70", 1970), ("99", 1999), ("00", 2000), ("100", nil)])
    func aShortYearIsOneFrom1970To2069(_ year: String, _ full: Int?) {
        let date = CookieDate.date("1 Jan \(year) 00:00:00")
        #expect(date == full.flatMap { CookieDate.date("1 Jan \($0) 00:00:00") })
        #expect((date != nil) == (full != nil))
    }

    @Test(arguments: [
        "", "soon", "06 Nov 1994", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37",
        "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "32 Dec 1994 08:49:37",
        "29 Feb 1900 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19944 08:49:37",
        "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60",
        "06 Nov 1994 008:49:37", "06 Nov 1994 08:49:370", "06 Nov 1994 08:49",
        "٠٦ Nov 1994 08:49:37",
    ])
    func whatIsMissingOrOutOfBoundsIsNoDate(_ text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test func theBoundsOfCookieDatesAreDates() {
        #expect(CookieDate.date("1 Jan 1601 00:00:00")?.httpText == "Mon, 01 Jan 1601 00:00:00 GMT")
        #expect(
            CookieDate.date("31 Dec 9999 23:59:59")?.httpText == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(
            CookieDate.date("29 Feb 2000 00:00:00")?.httpText == "Tue, 29 Feb 2000 00:00:00 GMT")
    }
}

/// Set-Cookie headers that are changed at random: every stored cookie can be sent.
@Suite struct CookieFuzzTests {
    private static let corpus = [
        "SID=31d4d96e407aad42; Path=/; Secure; HttpOnly",
        "lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Domain=example.com",
        "__Host-id=1; Secure; Path=/; SameSite=Strict",
        "a=b; Max-Age=99999999999999999999; Domain=.www.example.com; Path=/shop",
        "b=\"1, 2\"; expires=Sunday, 06-Nov-94 08:49:37 GMT; path=; domain=",
        "grün=ü\u{301}; Max-Age=-1; SameSite=None; Partitioned",
    ]

    private static let pieces = [
        ";", "=", " ", "\t", ",", ".", "/", "%", "\0", "\r\n", "\u{7F}", "\u{301}", "\u{2028}", "0",
        "-", "Max-Age=", "Expires=", "Domain=", "Path=/", "Secure", "__Host-",
        "99999999999999999999",
        "[::1]", "🍪", "İ",
    ]

    private func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = Int.random(in: 0...scalars.count, using: &generator)
            switch Int.random(in: 0...3, using: &generator) {
            case 0 where index < scalars.count: scalars.remove(at: index)
            case 1 where index < scalars.count:
                scalars[index] = Unicode.Scalar(UInt8.random(in: 0...255, using: &generator))
            case 2 where index < scalars.count:
                scalars.append(contentsOf: scalars[..<index])
            default:
                let piece = Self.pieces.randomElement(using: &generator) ?? ""
                scalars.insert(contentsOf: piece.unicodeScalars, at: index)
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    @Test(arguments: [1, 2])
    func noTextOfASetCookieTraps(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let urls = try [
            "https://www.example.com/shop/cart", "http://www.example.com", "http://127.0.0.1/a/",
            "https://[::1]:8443/", "http://localhost/x?y",
        ].map { try #require(URL(string: $0)) }
        let jar = CookieJar(
            cookiesPerDomain: 20, cookiesInAll: 50,
            now: { Date(secondsSince1970: 1_000_000_000) })
        var kept = 0
        for _ in 0..<fuzzInputCount() {
            let text = mutated(Self.corpus.randomElement(using: &generator) ?? "", &generator)
            let url = urls.randomElement(using: &generator) ?? urls[0]
            guard let cookie = jar.store(text, from: url) else { continue }
            kept += 1
            #expect(cookie.canBeSent, "\(text.debugDescription)")
            #expect(cookie.isHostOnly || cookie.domain.contains("."))
            let request = jar.adding(to: HTTPRequest(.get, url))
            #expect(throws: Never.self) { try request.validate() }
        }
        #expect(kept > fuzzInputCount() / 10)
        #expect(jar.cookies.count <= 50)
        let snapshot = jar.snapshot(keepingSessionCookies: true)
        let bytes = try JSONEncoder().encode(snapshot)
        let read = try JSONDecoder().decode(CookieJar.Snapshot.self, from: bytes)
        #expect(read == snapshot)
        #expect(
            CookieJar(restoring: read, now: { Date(secondsSince1970: 0) }).cookies.count > 0)
    }

    /// Random inputs for the lenient parser of dates.
    @Test func noTextOfADateTraps() {
        var generator = SeededGenerator(seed: 3)
        var dates = 0
        for _ in 0..<fuzzInputCount() {
            let text = mutated("Wed, 09 Jun 2021 10:18:14 GMT", &generator)
            if let date = CookieDate.date(text) {
                dates += 1
                #expect(date.secondsSince1970 >= -11_644_473_600)
            }
        }
        #expect(dates > fuzzInputCount() / 50)
    }
}

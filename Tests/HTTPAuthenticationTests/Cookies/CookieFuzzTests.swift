import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

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
    func whateverComesNothingTraps(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let urls = try [
            "https://www.example.com/shop/cart", "http://www.example.com", "http://127.0.0.1/a/",
            "https://[::1]:8443/", "http://localhost/x?y",
        ].map { try #require(URL(string: $0)) }
        let jar = CookieJar(
            cookiesPerDomain: 20, cookiesInAll: 50,
            now: { HTTPDate(secondsSince1970: 1_000_000_000) })
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
            CookieJar(restoring: read, now: { HTTPDate(secondsSince1970: 0) }).cookies.count > 0)
    }

    /// Random inputs for the lenient parser of dates.
    @Test func noDateTraps() {
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

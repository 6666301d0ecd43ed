import Foundation
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct CookieFuzzTests {
    @Test func whatIsKeptIsSentToItsHostAloneAndInOneLine() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "cookies"),
            words: [
                "Expires", "Max-Age", "Domain", "example.com", "com", "Path", "/", "Secure", "a=b",
            ],
            delimiters: ";=, /.-", seed: 7)
        let here = try #require(URL(string: "https://www.example.com/a/b/c"))
        let plain = try #require(URL(string: "http://www.example.com/a/b/c"))
        let elsewhere = try #require(URL(string: "https://www.example.org/a/b/c"))
        let now = Date(secondsSince1970: 1_800_000_000)
        let jar = CookieJar(now: { now })
        var kept = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            jar.removeAll()
            let cookie = jar.store(text, from: here)
            kept += cookie == nil ? 0 : 1
            #expect(jar.cookies(for: elsewhere).isEmpty, "\(text.debugDescription)")
            #expect(!jar.cookies(for: plain).contains { $0.isSecure }, "\(text.debugDescription)")
            for cookie in jar.cookies(for: here) {
                let sent = "\(cookie.name)=\(cookie.value)"
                #expect(
                    HTTPHeaders.isValid(name: "Cookie", value: sent), "\(text.debugDescription)")
                #expect(!sent.contains(";"), "\(text.debugDescription)")
                #expect(cookie.domain == "www.example.com" || cookie.domain == "example.com")
                #expect(cookie.expires.map { $0 > now } ?? true, "\(text.debugDescription)")
            }
        }
        #expect(kept > fuzzInputCount() / 10)
    }
}

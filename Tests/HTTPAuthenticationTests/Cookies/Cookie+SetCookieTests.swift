import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
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
            header, from: place, at: HTTPDate(secondsSince1970: now),
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
    func itMayNotSetForOthers(_ domain: String) {
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
        #expect(both?.expires == HTTPDate(secondsSince1970: 1_060))
        let later = cookie("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(later?.expires == HTTPDate(secondsSince1970: 784_111_777))
        #expect(cookie("a=b; Max-Age=0")?.isOver(at: HTTPDate(secondsSince1970: .min)) == true)
        #expect(cookie("a=b; Max-Age=9", now: .max)?.expires?.secondsSince1970 == .max)
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

import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookieDomainTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("a.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("badexample.com", "example.com", false),
        ("example.com", "a.example.com", false), ("example.com.evil.org", "example.com", false),
        ("example.com", "", false), (".example.com", "example.com", false),
        ("127.0.0.1", "0.0.1", false), ("127.0.0.1", "127.0.0.1", true),
        ("[::1]", "[::1]", true), ("example.com.", "example.com", false),
    ])
    func aDomainStandsForItselfAndWhatLiesBelow(_ host: String, _ domain: String, _ fits: Bool) {
        #expect(CookieDomain.matches(host: host, domain: domain) == fits)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("[::1]", true), ("10.1", true), ("2130706433", true),
        ("1.2.3.4.", true), ("example.com", false), ("1.example.com", false), ("a1", false),
        ("", false),
    ])
    func anAddressIsToldFromADomain(_ host: String, _ isAddress: Bool) {
        #expect(CookieDomain.isAddress(host) == isAddress)
    }
}

@Suite struct CookiePathTests {
    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/c", "/a/b"), ("", "/"),
        ("a/b", "/"), ("//", "/"), ("/a//b", "/a/"),
    ])
    func aCookieWithoutAPathHasTheRequestsFolder(_ request: String, _ path: String) {
        #expect(CookiePath.standard(for: request) == path)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true),
        ("/a/b", "/a", true), ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false),
        ("/", "/a", false), ("/A", "/a", false), ("/a%2Fb", "/a", false),
    ])
    func aPathStandsForItselfAndWhatLiesBelow(_ request: String, _ path: String, _ fits: Bool) {
        #expect(CookiePath.matches(request: request, cookie: path) == fits)
    }
}

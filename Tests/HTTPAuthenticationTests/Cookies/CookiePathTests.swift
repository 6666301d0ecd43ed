import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookiePathTests {
    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/c", "/a/b"), ("", "/"),
        ("a/b", "/"), ("//", "/"), ("/a//b", "/a/"),
    ])
    func withoutAPathItIsTheRequestsFolder(_ request: String, _ path: String) {
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

import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 2: which requests have the same cache key.
@Suite struct CacheKeyTests {
    private func key(_ text: String) -> CacheKey? { URL(string: text).flatMap { CacheKey($0) } }

    @Test(arguments: [
        ("http://EXAMPLE.com", "http://example.com/"),
        ("HTTP://example.com:80/", "http://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com?", "https://example.com/?"),
        ("http://[::1]:80/a", "http://[::1]/a"),
    ])
    func equivalentURLsShareAKey(text: String, form: String) { #expect(key(text)?.url == form) }

    @Test(arguments: [
        "http://example.com/", "https://example.com/", "https://example.com:80/",
        "https://example.com/A", "https://example.com/a", "https://example.com/a/",
        "https://example.com/a?", "https://example.com/a?x", "https://example.com/a?X",
        "https://example.com/%61", "https://example.com/a%2Fb", "https://example.com/a/b",
        "https://user@example.com/", "https://example.org/", "http://[::1]/", "http://[::1]:81/",
    ])
    func otherURLsShareNoKey(text: String) {
        let others = ["http://example.com:81/", "https://example.com/b"]
        #expect(key(text)?.url == text)
        #expect(others.allSatisfy { key(text) != key($0) })
    }

    @Test(arguments: ["ftp://example.com/", "/a", "https:///a", "data:,a"])
    func aURLThatIsNotOfHTTPHasNoKey(text: String) { #expect(key(text) == nil) }

    @Test func theTextOfAKeyShowsNoSecret() {
        let text = "\(key("https://me:secret@example.com/a?token=secret") as Any)"
        #expect(!text.contains("secret") && text.contains("example.com/a"))
    }

    @Test func queriesAreToldApart() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100"])
        for (path, body) in [("/a?b=1", "1"), ("/a?b=2", "2"), ("/a", "3"), ("/a?b=1#c", "1")] {
            #expect(try bench.get([:], path) == body)
        }
    }

    @Test(
        arguments: [
            ("a.example", "a.example"), ("A.Example:8080", "a.example:8080"), ("example.com", nil),
            ("EXAMPLE.com:443", nil), ("example.com:80", "example.com:80"), (nil, nil),
        ] as [(String?, String?)])
    func theHostOfACallerIsPartOfIt(host: String?, form: String?) {
        let url = URL(string: "https://example.com/a")!
        #expect(CacheKey(url, host: host)?.host == form)
        #expect((CacheKey(url, host: host) == CacheKey(url)) == (form == nil))
    }

    @Test(arguments: HTTPCache.Mode.allCases)
    func anotherHostAtTheSameAddressIsAnotherResource(mode: HTTPCache.Mode) throws {
        let bench = CacheBench(mode: mode)
        bench.answers(["Cache-Control": "max-age=100"])
        let hosts: [HTTPHeaders] = [["Host": "a.example"], ["host": "b.example"], [:]]
        for _ in 1...2 { #expect(try hosts.map { try bench.get($0) } == ["1", "2", "3"]) }
        try bench.ask(.post, "/", ["Host": "A.example"])
        #expect(try hosts.map { try bench.get($0) } == ["5", "2", "3"])
        bench.cache.remove(URL(string: "https://example.com/")!, host: "b.example")
        #expect(try hosts.map { try bench.get($0) } == ["5", "6", "3"])
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite(.oneAtATime) struct CookieJarTests {
    private let date = Locked(HTTPDate(secondsSince1970: 1_000))
    private let url = URL(string: "https://www.example.com/shop/cart")!

    private func jar(restoring snapshot: CookieJar.Snapshot? = nil) -> CookieJar {
        CookieJar(restoring: snapshot, now: { [date] in date.withLock { $0 } })
    }

    @Test func eachSetCookieOfAResponseIsKept() {
        let jar = jar()
        jar.store(
            ["Set-Cookie": "a=1", "set-cookie": "b=2; Path=/", "Cookie": "c=3"], from: url)
        #expect(jar.cookies.map(\.name) == ["a", "b"])
        #expect(jar.cookies(for: url).map(\.value) == ["1", "2"])
    }

    @Test func aCookieEndsByTheJarsDate() {
        let jar = jar()
        jar.store("a=1; Max-Age=60", from: url)
        date.withLock { $0 = HTTPDate(secondsSince1970: 1_059) }
        #expect(jar.cookies.count == 1)
        date.withLock { $0 = HTTPDate(secondsSince1970: 1_060) }
        #expect(jar.cookies.isEmpty)
    }

    @Test func storingTellsWhatWasKept() {
        let jar = jar()
        #expect(jar.store("a=1; Domain=example.com", from: url)?.domain == "example.com")
        #expect(jar.store("a=1; Domain=com", from: url) == nil)
        #expect(jar.store("a", from: url) == nil)
        #expect(jar.store("a=1", from: URL(string: "file:///tmp")!) == nil)
        #expect(jar.cookies(for: URL(string: "mailto:a@b")!).isEmpty)
        #expect(jar.store("b=1; Secure; Path=/", from: url) != nil)
        #expect(jar.store("b=2; Path=/", from: URL(string: "http://www.example.com")!) == nil)
    }

    @Test func theLimitsAreTheJars() {
        let small = CookieJar(cookiesPerDomain: 2, cookiesInAll: 3, bytesPerCookie: 4)
        for name in ["a", "b", "c"] { small.store("\(name)=1", from: url) }
        #expect(small.cookies.map(\.name) == ["b", "c"])
        for host in ["x.org", "y.org"] {
            small.store("a=1", from: URL(string: "https://\(host)/")!)
        }
        #expect(small.cookies.count == 3)
        #expect(small.store("a=1234", from: url) == nil)
        #expect(small.store("a=123", from: url) != nil)
    }

    @Test func publicSuffixesArePluggable() {
        let jar = CookieJar(isPublicSuffix: { $0 == "example.com" })
        #expect(jar.store("a=1; Domain=EXAMPLE.com", from: url) == nil)
    }

    @Test func aSnapshotBringsEverythingBack() throws {
        let jar = jar()
        jar.store(
            "a=1; Max-Age=60; Domain=example.com; Secure; HttpOnly; SameSite=Lax", from: url)
        jar.store("b=2; Path=/", from: url)
        let bytes = try JSONEncoder().encode(jar.snapshot(keepingSessionCookies: true))
        let read = try JSONDecoder().decode(CookieJar.Snapshot.self, from: bytes)
        #expect(self.jar(restoring: read).cookies == jar.cookies)
        #expect(jar.snapshot().cookies.map(\.name) == ["a"])
        date.withLock { $0 = HTTPDate(secondsSince1970: 5_000) }
        #expect(self.jar(restoring: read).cookies.map(\.name) == ["b"])
    }

    @Test(arguments: [[0xE9, 0x85], [0xC3, 0xA9], [0xC2, 0x85], [0x31]] as [[UInt8]])
    func aCookieIsSentBackWithItsBytes(value: [UInt8]) throws {
        let jar = jar()
        let start = Array("a=".utf8)
        var headers = HTTPHeaders()
        headers.set(bytes: start + value + Array("; Max-Age=60; Path=/".utf8), for: "Set-Cookie")
        jar.store(headers, from: url)
        let stored = try JSONEncoder().encode(jar.snapshot())
        let read = try JSONDecoder().decode(CookieJar.Snapshot.self, from: stored)
        for jar in [jar, self.jar(restoring: read)] {
            jar.store("b=ü; Path=/a", from: url)
            let request = jar.adding(to: HTTPRequest(.get, url, headers: ["Cookie": "c=ä"]))
            #expect(throws: Never.self) { try request.validate() }
            #expect(
                request.headers.received("Cookie").map(\.bytes)
                    == [Array("c=ä; ".utf8) + start + value])
        }
    }

    @Test(arguments: [[0x01], [0x7F], [0x61, 0x1F]] as [[UInt8]])
    func aCookieThatNoFieldMayHoldIsIgnored(value: [UInt8]) {
        let jar = jar()
        var headers = HTTPHeaders()
        headers.set(bytes: Array("a=".utf8) + value, for: "Set-Cookie")
        jar.store(headers, from: url)
        jar.store(["Set-Cookie": "b=\u{FFFD}"], from: url)
        #expect(jar.cookies.isEmpty)
    }

    @Test func aSnapshotThatWasTamperedWithIsNoWayIn() throws {
        func read(_ change: (String) -> String) throws -> [Cookie] {
            let jar = jar()
            jar.store("name=value; Path=/; Max-Age=60", from: url)
            let text = String(decoding: try JSONEncoder().encode(jar.snapshot()), as: UTF8.self)
            let bytes = Data(change(text).utf8)
            let snapshot = try JSONDecoder().decode(CookieJar.Snapshot.self, from: bytes)
            return self.jar(restoring: snapshot).cookies
        }
        #expect(try read { $0 }.count == 1)
        for (old, new) in [
            ("\"value\":\"value\"", "\"value\":\"x\\r\\nHost: evil\""),
            ("\"name\":\"name\"", "\"name\":\"\""),
            ("\"value\":\"value\"", "\"value\":\"a; b=c\""),
            ("\"name\":\"name\"", "\"name\":\"a=b\""),
            ("www.example.com", ""),
            ("\"value\":\"value\"", "\"value\":\"€\",\"isLatin1\":true"),
        ] {
            #expect(try read { $0.replacingOccurrences(of: old, with: new) }.isEmpty, "\(new)")
        }
        #expect(throws: DecodingError.self) {
            try read { $0.replacingOccurrences(of: "\"version\":1", with: "\"version\":2") }
        }
    }

    @Test func removingForgets() {
        let jar = jar()
        jar.store(["Set-Cookie": "a=1", "set-cookie": "b=2"], from: url)
        if let first = jar.cookies.first { jar.remove(first) }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test func noTextShowsAValue() throws {
        let jar = jar()
        let cookie = try #require(jar.store("session=s3cret; Path=/", from: url))
        for text in texts(of: jar) + texts(of: cookie) + texts(of: jar.cookies)
            + texts(of: jar.snapshot(keepingSessionCookies: true))
        {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect("\(cookie)" == "session=… for www.example.com/")
        #expect("\(jar)" == "a cookie jar with 1 cookies")
    }

    @Test func manyThreadsShareAJar() {
        let jar = CookieJar(cookiesPerDomain: 10)
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            jar.store("a\(index % 20)=\(index)", from: url)
            _ = jar.adding(to: HTTPRequest(.get, url))
            if let first = jar.cookies.first, index.isMultiple(of: 7) { jar.remove(first) }
        }
        #expect(jar.cookies.count <= 10)
    }
}

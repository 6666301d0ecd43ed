import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite(.oneAtATime) struct CookieJarTests {
    private let date = Locked(Date(secondsSince1970: 1_000))
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
        date.withLock { $0 = Date(secondsSince1970: 1_059) }
        #expect(jar.cookies.count == 1)
        date.withLock { $0 = Date(secondsSince1970: 1_060) }
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
        date.withLock { $0 = Date(secondsSince1970: 5_000) }
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

    @Test func removingACookieFromAJarForgetsIt() {
        let jar = jar()
        jar.store(["Set-Cookie": "a=1", "set-cookie": "b=2"], from: url)
        if let first = jar.cookies.first { jar.remove(first) }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test func noTextOfAJarShowsAValue() throws {
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

@Suite struct CookieStoreTests {
    private let now = Date(secondsSince1970: 1_000)

    private func cookie(
        _ name: String, _ value: String = "1", domain: String = "example.com", path: String = "/",
        isHostOnly: Bool = true, expires: Int64? = nil, isSecure: Bool = false
    ) -> Cookie {
        Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
            expires: expires.map { Date(secondsSince1970: $0) }, isSecure: isSecure,
            isHTTPOnly: false, sameSite: nil)
    }

    private func store(_ limits: CookieStore.Limits = .init(), _ cookies: Cookie...) -> CookieStore
    {
        var store = CookieStore(limits: limits)
        for cookie in cookies { store.keep(cookie, at: now) }
        return store
    }

    private func sent(_ store: CookieStore, _ url: String, at now: Int64 = 1_000) -> String {
        guard let url = URL(string: url), let place = CookieURL(url) else { return "no place" }
        return store.cookies(for: place, at: Date(secondsSince1970: now))
            .map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    @Test func aCookieGoesWhereItIsFor() {
        let store = store(
            .init(), cookie("host"), cookie("wide", isHostOnly: false),
            cookie("deep", path: "/a/b"), cookie("tls", isSecure: true),
            cookie("other", domain: "www.example.com"))
        #expect(sent(store, "https://example.com/") == "host=1 wide=1 tls=1")
        #expect(sent(store, "http://example.com") == "host=1 wide=1")
        #expect(sent(store, "http://EXAMPLE.com:8080/a/b/c") == "deep=1 host=1 wide=1")
        #expect(sent(store, "http://www.example.com/") == "wide=1 other=1")
        #expect(sent(store, "http://www.www.example.com/") == "wide=1")
        #expect(sent(store, "http://badexample.com/") == "")
        #expect(sent(store, "http://com/") == "")
    }

    @Test func longerPathsComeFirstThenOlderCookies() {
        var store = store(
            .init(), cookie("b"), cookie("a"), cookie("d", path: "/x/y"), cookie("c", path: "/x"))
        #expect(sent(store, "http://example.com/x/y") == "d=1 c=1 b=1 a=1")
        store.keep(cookie("b", "2"), at: now)
        #expect(sent(store, "http://example.com/x/y") == "d=1 c=1 b=2 a=1")
    }

    @Test func nameDomainAndPathMakeACookie() {
        let store = store(
            .init(), cookie("a"), cookie("a", "2", path: "/x"), cookie("A", "3"), cookie("a", "4"))
        #expect(sent(store, "http://example.com/x") == "a=2 a=4 A=3")
        #expect(store.count == 3)
    }

    @Test func whatIsOverIsNotSentAndRemovesTheOneBefore() {
        var store = store(.init(), cookie("a", expires: 1_010), cookie("b"))
        #expect(sent(store, "http://example.com/", at: 1_009) == "a=1 b=1")
        #expect(sent(store, "http://example.com/", at: 1_010) == "b=1")
        store.keep(cookie("b", expires: 0), at: now)
        #expect(sent(store, "http://example.com/") == "a=1")
        #expect(store.count == 1)
        #expect(store.all(at: Date(secondsSince1970: 1_010)).isEmpty)
    }

    @Test func aDomainHasSoManyAndTheLeastUsedGoes() {
        var store = store(
            .init(perDomain: 3, inAll: 100), cookie("a", path: "/a"), cookie("b"), cookie("c"))
        store.keep(cookie("b", "2"), at: now)
        store.keep(cookie("c", "2"), at: now)
        store.keep(cookie("d"), at: now)
        #expect(store.all(at: now).map(\.name) == ["b", "c", "d"])
    }

    @Test func sendingACookieCountsAsUse() throws {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a", path: "/a"), cookie("b", path: "/b"))
        let place = try #require(URL(string: "http://example.com/a").flatMap { CookieURL($0) })
        let used = store.use(for: place, at: now)
        #expect(used.map(\.name) == ["a"])
        store.keep(cookie("c"), at: now)
        #expect(store.all(at: now).map(\.name) == ["a", "c"])
    }

    @Test func cookiesThatAreOverGoFirst() {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a"), cookie("b", expires: 1_001))
        store.keep(cookie("c"), at: Date(secondsSince1970: 1_001))
        #expect(store.all(at: now).map(\.name) == ["a", "c"])
    }

    @Test func whatCameWithoutTLSDrivesOutNothingSecure() {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a", isSecure: true),
            cookie("b", isSecure: true))
        store.keep(cookie("c"), isSecure: false, at: now)
        #expect(store.all(at: now).map(\.name) == ["a", "b"])
    }

    @Test func aJarHasSoManyCookiesInAll() {
        var store = CookieStore(limits: .init(perDomain: 50, inAll: 3))
        for index in 0..<5 {
            store.keep(cookie("a", domain: "\(index).example.com"), at: now)
        }
        #expect(store.all(at: now).map(\.domain).map { $0.prefix(1) } == ["2", "3", "4"])
        #expect(store.count == 3)
    }

    @Test func withoutRoomNothingIsKept() {
        var store = CookieStore(limits: .init(perDomain: 0, inAll: 0))
        store.keep(cookie("a"), at: now)
        #expect(store.count == 0)
    }

    @Test func aSecureCookieIsNotOverlaidFromWithoutTLS() {
        var store = store(
            .init(), cookie("a", domain: "www.example.com", path: "/x", isSecure: true))
        for (hidden, isKept) in [
            (cookie("a", "2", domain: "www.example.com", path: "/x"), false),
            (cookie("a", "2", path: "/x", isHostOnly: false), false),
            (cookie("a", "2", domain: "b.www.example.com", path: "/x/y"), false),
            (cookie("a", "2", domain: "www.example.com", path: "/"), true),
            (cookie("b", "2", domain: "www.example.com", path: "/x"), true),
            (cookie("a", "2", domain: "other.com", path: "/x"), true),
        ] {
            let wasKept = store.keep(hidden, isSecure: false, at: now)
            #expect(wasKept == isKept, "\(hidden)")
        }
        let wasKept = store.keep(
            cookie("a", "2", domain: "www.example.com", path: "/x"), at: now)
        #expect(wasKept)
    }

    @Test func removingACookieFromAStoreForgetsIt() {
        var store = store(.init(), cookie("a"), cookie("b"))
        let removed = [
            store.remove(cookie("a", "whatever it is")), store.remove(cookie("a")),
        ]
        #expect(removed.map { $0?.cookie.value } == ["1", nil])
        #expect(store.count == 1)
        store.removeAll()
        #expect(store.count == 0 && store.all(at: now).isEmpty)
    }
}

import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookieStoreTests {
    private let now = HTTPDate(secondsSince1970: 1_000)

    private func cookie(
        _ name: String, _ value: String = "1", domain: String = "example.com", path: String = "/",
        isHostOnly: Bool = true, expires: Int64? = nil, isSecure: Bool = false
    ) -> Cookie {
        Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
            expires: expires.map { HTTPDate(secondsSince1970: $0) }, isSecure: isSecure,
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
        return store.cookies(for: place, at: HTTPDate(secondsSince1970: now))
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
        #expect(store.all(at: HTTPDate(secondsSince1970: 1_010)).isEmpty)
    }

    @Test func aDomainHasSoManyAndTheLeastUsedGoes() {
        var store = store(
            .init(perDomain: 3, inAll: 100), cookie("a", path: "/a"), cookie("b"), cookie("c"))
        store.keep(cookie("b", "2"), at: now)
        store.keep(cookie("c", "2"), at: now)
        store.keep(cookie("d"), at: now)
        #expect(store.all(at: now).map(\.name) == ["b", "c", "d"])
    }

    @Test func beingSentCountsAsUse() throws {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a", path: "/a"), cookie("b", path: "/b"))
        let place = try #require(URL(string: "http://example.com/a").flatMap { CookieURL($0) })
        let used = store.use(for: place, at: now)
        #expect(used.map(\.name) == ["a"])
        store.keep(cookie("c"), at: now)
        #expect(store.all(at: now).map(\.name) == ["a", "c"])
    }

    @Test func whatIsOverGoesFirst() {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a"), cookie("b", expires: 1_001))
        store.keep(cookie("c"), at: HTTPDate(secondsSince1970: 1_001))
        #expect(store.all(at: now).map(\.name) == ["a", "c"])
    }

    @Test func whatCameWithoutTLSDrivesOutNothingSecure() {
        var store = store(
            .init(perDomain: 2, inAll: 100), cookie("a", isSecure: true),
            cookie("b", isSecure: true))
        store.keep(cookie("c"), isSecure: false, at: now)
        #expect(store.all(at: now).map(\.name) == ["a", "b"])
    }

    @Test func thereAreSoManyInAll() {
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

    @Test func removingForgets() {
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

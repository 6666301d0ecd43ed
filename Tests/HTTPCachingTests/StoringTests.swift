import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// RFC 9111, section 3: which responses are stored.
@Suite struct CacheStoringTests {
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=100"]

    private func stores(
        _ reply: CacheBench.Reply, _ method: HTTPMethod = .get, asked: HTTPHeaders = [:]
    ) throws -> Bool {
        let bench = CacheBench()
        bench.answers(reply)
        try bench.ask(method, "/", asked)
        return bench.store.currentUsage.count == 1
    }

    @Test func noStoreIsNotStored() throws {
        for control in [
            "no-store", "No-Store", "max-age=100, no-store", "no-store, public", "no-store=1",
        ] {
            #expect(try !stores(.init(headers: ["Cache-Control": control, "ETag": "\"a\""])))
        }
    }

    @Test func aRequestWithNoStoreLeavesNothing() throws {
        #expect(try !stores(.init(headers: fresh), asked: ["Cache-Control": "no-store"]))
        let bench = CacheBench()
        bench.answers(fresh)
        try bench.ask()
        #expect(try bench.get(["Cache-Control": "no-store"]) == "2")
        #expect(try bench.get() == "1")
    }

    @Test func methodsOtherThanGetAreNotStored() throws {
        for method in [HTTPMethod.head, .post, .put, .patch, .delete, .options, .query, "FOO"] {
            #expect(try !stores(.init(headers: fresh), method), "\(method)")
        }
        #expect(try stores(.init(headers: fresh)))
    }

    @Test(arguments: [100, 103, 199, 206, 304, 600, 999])
    func whatIsNoWholeFinalResponseIsNotStored(status: Int) throws {
        #expect(try !stores(.init(status: status, headers: fresh)))
    }

    @Test func somethingMustPermitStoring() throws {
        let tag: HTTPHeaders = ["ETag": "\"a\""]
        #expect(try !stores(.init(status: 500, headers: tag)))
        #expect(try stores(.init(status: 404, headers: tag)))
        for control in ["max-age=0", "public", "private"] {
            let headers: HTTPHeaders = ["ETag": "\"a\"", "Cache-Control": control]
            #expect(try stores(.init(status: 500, headers: headers)), "\(control)")
        }
        #expect(
            try !stores(
                .init(status: 500, headers: ["ETag": "\"a\"", "Cache-Control": "s-maxage=9"])))
    }

    @Test func mustUnderstandGoesByTheStatus() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=100, must-understand, no-store"]
        #expect(try stores(.init(status: 200, headers: headers)))
        #expect(try !stores(.init(status: 599, headers: headers)))
        #expect(
            try !stores(
                .init(status: 599, headers: ["Cache-Control": "max-age=100, must-understand"])))
    }

    @Test func anIncompleteBodyIsNotStored() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=100", "Content-Length": "10"]
        #expect(try !stores(.init(headers: headers, body: "12345")))
        #expect(try stores(.init(headers: headers, body: "1234567890")))
        let two: HTTPHeaders = [
            "Cache-Control": "max-age=100", "Content-Length": "5", "content-length": "10",
        ]
        #expect(try !stores(.init(headers: two, body: "12345")))
    }

    @Test func aCacheStoresNoFailure() throws {
        let bench = CacheBench()
        bench.answers(.init(headers: fresh, failure: CacheBench.Lost()), .init(headers: fresh))
        #expect(throws: CacheBench.Lost.self) { try bench.ask() }
        #expect(bench.store.currentUsage == CacheUsage(count: 0, bytes: 0))
        #expect(try bench.get() == "2" && bench.get() == "2")
    }

    @Test func whatAnotherURLHasAnsweredIsNotStored() throws {
        #expect(try !stores(.init(headers: fresh, url: URL(string: "https://example.com/other"))))
        #expect(try stores(.init(headers: fresh, url: URL(string: "https://EXAMPLE.com:443#a"))))
    }

    @Test func aWholeAnswerToARangeIsStoredAndNoOtherStatus() throws {
        let range: HTTPHeaders = ["Range": "bytes=0-1"]
        #expect(try stores(.init(headers: fresh), asked: range))
        #expect(try !stores(.init(status: 416, headers: fresh), asked: range))
        #expect(try !stores(.init(status: 206, headers: fresh), asked: range))
        #expect(try !stores(.init(status: 412, headers: fresh), asked: ["If-Match": "\"a\""]))
    }

    @Test func whatCouldNeverBeUsedTakesNoRoom() throws {
        #expect(try !stores(.init(headers: [:])))
        #expect(try !stores(.init(headers: ["Cache-Control": "no-cache"])))
        #expect(try !stores(.init(headers: ["Cache-Control": "max-age=0, must-revalidate"])))
    }

    @Test func aNewerAnswerThatIsNotStoredTakesTheOldAway() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: fresh), .init(headers: ["Cache-Control": "no-store"]), .init())
        try bench.ask()
        #expect(try bench.get(["Cache-Control": "no-cache"]) == "2")
        #expect(try bench.get() == "3")
    }

    @Test func aServerErrorLeavesTheOld() throws {
        let bench = CacheBench()
        bench.answers(.init(headers: fresh), .init(status: 503), .init())
        try bench.ask()
        #expect(try bench.ask(.get, "/", ["Cache-Control": "no-cache"]).status == 503)
        #expect(try bench.get() == "1")
    }

    @Test func aBodyOnGetIsNotTheCachesBusiness() throws {
        let bench = CacheBench()
        bench.answers(fresh)
        var request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        request.body = .data(Data("a".utf8))
        _ = [bench.service(request), bench.service(request)]
        #expect(bench.requests.count == 2 && bench.store.currentUsage.count == 0)
    }
}

/// RFC 9111, sections 3.1 and 3.2: which headers are stored, and what a 304 changes.
@Suite struct CacheHeadersTests {
    private func again(_ headers: HTTPHeaders, _ bench: CacheBench = CacheBench()) throws
        -> HTTPHeaders
    {
        bench.answers(headers)
        try bench.ask()
        let again = try bench.ask()
        #expect(again.text == "1")
        return again.headers
    }

    @Test(arguments: [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-MD5",
        "Content-Security-Policy", "ETag", "Expires", "Last-Modified", "Location",
        "Public-Key-Pins",
        "Strict-Transport-Security", "Test-Header", "Trailer", "Warning", "X-Frame-Options",
        "X-Test-Header", "Cache-Control", "WWW-Authenticate", "Server",
    ])
    func everyFieldIsStored(name: String) throws {
        let value = name == "Cache-Control" ? "max-age=100, x=1" : "a, b"
        var headers: HTTPHeaders = ["Cache-Control": "max-age=100"]
        headers.set(value, for: name)
        #expect(try again(headers)[name] == value)
    }

    @Test(arguments: [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ])
    func fieldsOfOneConnectionAreNotStored(name: String) throws {
        #expect(try again(["Cache-Control": "max-age=100", name: "a"])[name] == nil)
    }

    @Test func whatConnectionListsIsNotStored() throws {
        let headers = try again([
            "Cache-Control": "max-age=100", "Connection": "a, X-B", "connection": "c", "A": "1",
            "x-b": "2", "C": "3", "D": "4",
        ])
        #expect(["A", "X-B", "C", "Connection"].allSatisfy { headers[$0] == nil })
        #expect(headers["D"] == "4")
    }

    @Test func whatTheCacheNeedsIsNotTakenFromIt() throws {
        let bench = CacheBench()
        #expect(
            try !bench.reuses([
                "Cache-Control": "max-age=1, must-revalidate", "Connection": "Cache-Control",
                "Expires": CacheBench.date(50),
            ]))
    }

    @Test func fieldsThatNoCacheNamesAreNotGivenAgain() throws {
        let headers = try again([
            "Cache-Control": "max-age=100, no-cache=\"A, b\"", "A": "1", "B": "2", "C": "3",
        ])
        #expect(headers["A"] == nil && headers["B"] == nil && headers["C"] == "3")
    }

    @Test func aPrivateCacheStoresWhatPrivateNames() throws {
        let headers = try again(["Cache-Control": "max-age=100, private=\"A\"", "A": "1"])
        #expect(headers["A"] == "1")
    }

    @Test func cookiesAreSetOnceUnlessAskedFor() throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=100", "Set-Cookie": "a=1"]
        let bench = CacheBench()
        bench.answers(headers)
        #expect(try bench.ask().headers["Set-Cookie"] == "a=1")
        #expect(try bench.ask().headers["Set-Cookie"] == nil)
        #expect(try again(headers, CacheBench(replaysCookies: true))["Set-Cookie"] == "a=1")
    }

    @Test(arguments: [HTTPMethod.get, .head])
    func noCookieIsStoredByAnUpdate(method: HTTPMethod) throws {
        let disk = CrashingDisk()
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let headers: HTTPHeaders = [
            "Cache-Control": "max-age=10", "ETag": "\"a\"", "Content-Length": "1",
            "Set-Cookie": "id=s3cret",
        ]
        bench.answers(
            .init(headers: headers),
            .init(status: method == .get ? 304 : 200, headers: headers, body: ""))
        try bench.ask()
        bench.advance(20)
        #expect(try bench.ask(method).headers.values(for: "Set-Cookie") == ["id=s3cret"])
        #expect(try bench.ask().headers["Set-Cookie"] == nil && bench.requests.count == 2)
        let files = try disk.names.map { try disk.read($0, upTo: .max)?.bytes ?? [] }
        #expect(!files.contains { String(decoding: $0, as: UTF8.self).contains("s3cret") })
    }

    @Test func theDateStaysThatOfTheOrigin() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100"])
        try bench.ask()
        bench.advance(50)
        #expect(try bench.ask().headers["Date"] == CacheBench.date(0))
    }

    /// The response after a 304 with these headers, and the next one from the store.
    private func updated(
        _ stored: HTTPHeaders, by fresh: HTTPHeaders, _ bench: CacheBench = CacheBench()
    ) throws -> [HTTPResponse] {
        var first: HTTPHeaders = ["Cache-Control": "max-age=1", "ETag": "\"a\""]
        var second: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"a\""]
        for field in stored { first.set(field.value, for: field.name) }
        for field in fresh { second.set(field.value, for: field.name) }
        bench.answers(
            .init(headers: first), .init(status: 304, headers: second), .init(body: "other"))
        try bench.ask()
        bench.advance(5)
        return [try bench.ask(), try bench.ask()]
    }

    @Test(arguments: [
        "Test-Header", "X-Test-Header", "Content-Foo", "Content-Location", "Content-Type",
        "Content-Language", "Content-MD5", "Content-Security-Policy", "Expires", "Public-Key-Pins",
        "Strict-Transport-Security", "X-Frame-Options", "Server", "Location",
    ])
    func a304UpdatesWhatItNames(name: String) throws {
        for response in try updated([name: "old"], by: [name: "new"]) {
            #expect(response.headers.values(for: name) == ["new"] && response.text == "1")
        }
    }

    @Test func a304LeavesWhatItDoesNotName() throws {
        for response in try updated(["A": "1", "Content-Type": "x/y"], by: ["B": "2"]) {
            #expect(response.headers["A"] == "1" && response.headers["B"] == "2")
            #expect(response.headers["Content-Type"] == "x/y" && response.status == 200)
        }
    }

    @Test(arguments: ["Content-Length", "Content-Encoding", "Content-Range"])
    func a304DoesNotChangeWhatTheBodyIs(name: String) throws {
        for response in try updated([name: "1"], by: [name: "9"]) {
            #expect(response.headers[name] == "1")
        }
        for response in try updated([:], by: [name: "9"]) { #expect(response.headers[name] == nil) }
    }

    @Test(arguments: ["Connection", "Transfer-Encoding", "Keep-Alive", "Proxy-Authenticate"])
    func a304BringsNoFieldsOfItsConnection(name: String) throws {
        for response in try updated([:], by: [name: "a"]) { #expect(response.headers[name] == nil) }
    }

    @Test func a304MakesAStoredResponseYoung() throws {
        let responses = try updated(["Age": "50"], by: [:])
        #expect(responses.map { $0.headers["Age"] } == ["0", "0"])
        #expect(responses[0].headers["Date"] == CacheBench.date(5))
    }

    @Test func a304WithoutCacheControlRenewsTheOld() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=10", "ETag": "\"a\""]),
            .init(status: 304, headers: ["ETag": "\"a\""]), .init(body: "other"))
        try bench.ask()
        bench.advance(10)
        #expect(try bench.get() == "1")
        bench.advance(9)
        #expect(try bench.get() == "1" && bench.requests.count == 2)
        bench.advance(1)
        #expect(try bench.get() == "other")
    }

    @Test func a304WithNoStoreIsTheLastUse() throws {
        let bench = CacheBench()
        let responses = try updated([:], by: ["Cache-Control": "no-store, max-age=100"], bench)
        #expect(responses.map(\.text) == ["1", "other"])
    }

    @Test func a304SetsItsCookies() throws {
        let responses = try updated(["Set-Cookie": "a=1"], by: ["Set-Cookie": "b=2"])
        #expect(responses.map { $0.headers.values(for: "Set-Cookie") } == [["b=2"], []])
    }

    @Test func a304sCookiesKeepTheirBytes() throws {
        let cookie = Array("b=".utf8) + [0xE9]
        let bench = CacheBench()
        var headers: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": "\"a\""]
        bench.answers(headers)
        try bench.ask()
        headers.set(bytes: cookie, for: "Set-Cookie")
        bench.answers(headers, status: 304)
        #expect(try bench.ask().headers.received("Set-Cookie").map(\.bytes) == [cookie])
    }
}

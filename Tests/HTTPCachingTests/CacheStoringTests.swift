import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPCaching

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

    @Test func aFailureIsNotStored() throws {
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

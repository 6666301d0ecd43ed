import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, section 4.4: which responses an unsafe method invalidates.
@Suite struct CacheInvalidationTests {
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=1000"]

    /// Whether a GET of a path is sent again after another method had this answer.
    private func forgets(
        _ path: String = "/a", after method: HTTPMethod = .post, status: Int = 200,
        _ headers: HTTPHeaders = [:], failure: (any Error)? = nil
    ) throws -> Bool {
        let bench = CacheBench()
        bench.answers(
            .init(headers: fresh), .init(status: status, headers: headers, failure: failure),
            .init(headers: fresh))
        try bench.ask(.get, path)
        _ = bench.send(method, "/a")
        return try bench.get([:], path) == "3"
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, "M-SEARCH", "FOO", "get"])
    func aMethodThatIsNotSafeForgetsItsURL(method: HTTPMethod) throws {
        #expect(try forgets(after: method))
    }

    @Test(arguments: [HTTPMethod.head, .options, .trace, .query])
    func aSafeMethodDoesNot(method: HTTPMethod) throws { #expect(try !forgets(after: method)) }

    @Test(arguments: [200, 201, 204, 301, 303, 399]) func noErrorForgets(status: Int) throws {
        #expect(try forgets(status: status))
    }

    @Test(arguments: [400, 404, 409, 500, 503]) func anErrorDoesNot(status: Int) throws {
        let location: HTTPHeaders = ["Location": "/b"]
        #expect(try !forgets(status: status))
        #expect(try !forgets("/b", status: status, location))
    }

    @Test func whereNobodyKnowsWhatHappenedItForgets() throws {
        #expect(try forgets(failure: CacheBench.Lost()))
        #expect(try !forgets("/b", failure: CacheBench.Lost()))
    }

    @Test func anotherURLStays() throws { #expect(try !forgets("/b")) }

    @Test(arguments: ["Location", "Content-Location"])
    func whatTheAnswerNamesIsForgotten(name: String) throws {
        for place in [
            "/b", "b", "https://example.com/b", "https://EXAMPLE.com:443/b#c", "//example.com/b",
        ] {
            #expect(try forgets("/b", [name: place]), "\(place)")
        }
    }

    @Test(arguments: ["Location", "Content-Location"])
    func anotherOriginIsLeftAlone(name: String) throws {
        let bench = CacheBench()
        bench.answers(.init(headers: fresh), .init(headers: [name: "https://example.org/b"]))
        let other = HTTPRequest(.get, URL(string: "https://example.org/b")!)
        _ = bench.service(other)
        _ = bench.send(.post, "/a")
        _ = bench.service(other)
        #expect(bench.requests.count == 2)
        #expect(try !forgets("/b", [name: "http://example.com/b"]))
        #expect(try !forgets("/b", [name: "https://example.com:444/b"]))
    }

    @Test func allVariantsAreForgotten() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=100", "Vary": "Foo"])
        _ = try [bench.get(["Foo": "1"]), bench.get(["Foo": "2"])]
        try bench.ask(.post)
        #expect(try bench.get(["Foo": "1"]) == "4" && bench.get(["Foo": "2"]) == "5")
    }

    @Test func theAnswerToPostIsNotStoredAndReachesTheOrigin() throws {
        let bench = CacheBench()
        bench.answers(["Cache-Control": "max-age=1000", "Content-Location": "/"])
        try bench.ask()
        #expect(try bench.ask(.post).text == "2" && bench.ask(.post).text == "3")
        #expect(try bench.get() == "4")
    }

    @Test func whatWasUnderWayIsNotStored() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(), .init(headers: fresh))
        let slow = bench.send()
        try bench.ask(.post)
        gate.resolve()
        #expect(try slow.result?.get().text == "1")
        #expect(try bench.get() == "3" && bench.get() == "3")
        #expect(bench.cache.calls.withLock { $0.count } == 0)
    }

    @Test func aCallThatIsGivenUpForgetsToo() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh), .init(gate: gate), .init(headers: fresh))
        try bench.ask()
        bench.send(.post, "/").cancel()
        #expect(try bench.get() == "3")
    }

    @Test func removeAndClear() throws {
        let bench = CacheBench()
        bench.answers(fresh)
        _ = try [bench.get([:], "/a"), bench.get([:], "/b")]
        bench.cache.remove(URL(string: "HTTPS://example.com:443/a#x")!)
        #expect(try bench.get([:], "/a") == "3" && bench.get([:], "/b") == "2")
        bench.cache.clear()
        #expect(bench.store.currentUsage == CacheUsage(count: 0, bytes: 0))
        #expect(try bench.get([:], "/b") == "4")
    }

    @Test func clearKeepsOutWhatIsUnderWay() throws {
        let bench = CacheBench()
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(headers: fresh))
        let slow = bench.send()
        bench.cache.clear()
        gate.resolve()
        #expect(try slow.result?.get().text == "1" && bench.get() == "2")
    }

    @Test func theAnswerOfAnEarlierCallDoesNotReplaceThatOfALater() throws {
        let bench = CacheBench(coalescesMisses: false)
        let gate = Promise<Void>()
        bench.answers(.init(headers: fresh, gate: gate), .init(headers: fresh))
        let slow = bench.send()
        #expect(try bench.get() == "2")
        gate.resolve()
        #expect(try slow.result?.get().text == "1" && bench.get() == "2")
        #expect(bench.store.currentUsage.count == 1)
    }
}

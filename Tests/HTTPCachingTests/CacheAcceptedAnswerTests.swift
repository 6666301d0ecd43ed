import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// The cache above `.acceptStatus()` has the same effect as beneath it.
@Suite struct CacheAcceptedAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

    private func bench(_ replies: CacheBench.Reply...) -> (CacheBench, HTTPService) {
        let bench = CacheBench()
        bench.answers(replies)
        return (bench, stack(.cache(sharing: bench.cache), .acceptStatus(), over: bench.origin))
    }

    private let request = HTTPRequest(at: "https://example.com/")

    @Test func cacheConfirmsByA304WithinAnError() {
        let stale: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
        let (bench, send) = bench(
            .init(headers: stale), .init(status: 304, headers: ["ETag": "\"a\""]))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(bench.last?.headers["If-None-Match"] == "\"a\"")
        #expect(bench.cache.statistics.confirmations == 1)
    }

    @Test func cacheKeepsA404AndGivesItAsTheErrorThatItWas() throws {
        let (bench, send) = bench(
            .init(status: 404, headers: ["Cache-Control": "max-age=10"], body: "none"))
        for _ in 1...2 {
            let error = try error(send(request))
            #expect(error.code == .unacceptableStatus && error.request == request)
            #expect(error.response?.text == "none")
        }
        #expect(bench.requests.count == 1)
    }

    @Test func cacheRescuesFromA503WithinAnError() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10, stale-if-error=10"]),
            .init(status: 503), .init(status: 404))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(try error(send(request)).status == 404)
        #expect(bench.requests.count == 3)
    }

    @Test func aWriteThatWasRefusedForgetsNothing() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10"]), .init(status: 422))
        _ = send(request)
        #expect(try error(send(HTTPRequest(.post, at: "https://example.com/"))).status == 422)
        #expect(send(request).valueNow?.text == "1" && bench.requests.count == 2)
    }
}

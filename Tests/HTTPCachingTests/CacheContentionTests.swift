import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching

/// A cache under several threads.
@Suite(.oneAtATime) struct CacheContentionTests {
    /// The answer to a request, perhaps on the thread of another caller with the same request.
    private func text(_ future: Future<HTTPResponse>) -> String {
        let end = DispatchSemaphore(value: 0)
        let text = Locked("")
        future.observe { result in
            text.withLock { $0 = (try? result.get().text) ?? "" }
            end.signal()
        }
        end.wait()
        return text.withLock { $0 }
    }

    /// A writer never gets an answer from before its own count.
    @Test func nobodyReadsWhatHisOwnWriteMadeOutOfDate() {
        let values = Locked([Int](repeating: 0, count: 4))
        let cache = HTTPCache(in: MemoryCacheStore(limit: 4_000))
        let service = cache.around { request in
            let path = Int(request.url.lastPathComponent) ?? 0
            let value = values.withLock { values in
                if request.method == .put { values[path] += 1 }
                return values[path]
            }
            return Future(
                value: HTTPResponse(
                    status: 200,
                    headers: ["Cache-Control": "max-age=1000", "ETag": "\"\(value)\""],
                    body: Data("\(value)".utf8)))
        }
        let wrong = Locked(0)
        onThreads(4) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<1_500 {
                let path = Int.random(in: 0..<4, using: &random)
                let url = URL(string: "https://example.com/\(path)")!
                let method: HTTPMethod = Int.random(in: 0..<6, using: &random) == 0 ? .put : .get
                let before = values.withLock { $0[path] }
                let answer = text(service(HTTPRequest(method, url)))
                if method == .put {
                    let read = text(service(HTTPRequest(.get, url)))
                    if Int(read) ?? -1 < Int(answer) ?? 0 { wrong.withLock { $0 += 1 } }
                } else if Int(answer) ?? -1 > values.withLock({ $0[path] }) || before < 0 {
                    wrong.withLock { $0 += 1 }
                }
                if path == 3 { cache.remove(url) }
            }
            if thread == 0 { cache.clear() }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(cache.calls.withLock { $0.count } == 0)
    }

    @Test func revalidationsAreSharedAndCancelledFromAllSides() {
        let scheduler = ManualScheduler()
        let second = Locked(CacheBench.start)
        let cache = HTTPCache(
            in: MemoryCacheStore(),
            now: { Date(secondsSince1970: second.withLock { $0 }) }, on: scheduler)
        let waiting = Locked<[Promise<HTTPResponse>]>([])
        let service = cache.around { _ in
            let promise = Promise<HTTPResponse>()
            waiting.withLock { $0.append(promise) }
            return promise
        }
        let wrong = Locked(0)
        onThreads(4) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<800 {
                let number = Int.random(in: 0..<3, using: &random)
                let call = service(
                    HTTPRequest(.get, URL(string: "https://example.com/\(number)")!))
                if Int.random(in: 0..<3, using: &random) == 0 { call.cancel() }
                if Int.random(in: 0..<4, using: &random) == 0 { second.withLock { $0 += 1 } }
                let all = waiting.withLock { all in
                    defer { all = [] }
                    return all
                }
                for promise in all {
                    promise.resolve(
                        with: HTTPResponse(
                            status: 200,
                            headers: [
                                "Cache-Control": "max-age=1, stale-while-revalidate=2",
                                "ETag": "\"a\"",
                            ], body: Data("x".utf8)))
                }
                call.observe { result in
                    if case .success(let response) = result, response.text != "x" {
                        wrong.withLock { $0 += 1 }
                    }
                }
            }
        }
        for promise in waiting.withLock({ $0 }) { promise.reject(with: CacheBench.Lost()) }
        #expect(wrong.withLock { $0 } == 0)
        #expect(cache.calls.withLock { $0.count } == 0 && cache.group.count == 0)
        #expect(cache.background.withLock { $0.isEmpty })
    }
}

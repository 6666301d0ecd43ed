import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

/// Threads send and cancel, while nonces become stale and the server answers on other threads.
@Suite(.oneAtATime) struct DigestContentionTests {
    @Test func everyRequestEndsAndNoUseIsSentTwice() {
        let server = DigestServer()
        server.change { $0.uses = 20 }
        let queue = DispatchQueue(label: "server", attributes: .concurrent)
        let send: HTTPService = stack(
            .authorize(.digest(user: "Mufasa", password: "Circle of Life"), for: .all),
            over: { request in
                Future.make { resolver in
                    queue.async { resolver.resolve(with: server.answer(request)) }
                }
            })
        let ended = Locked(0)
        let group = DispatchGroup()
        onThreads(4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<100 {
                group.enter()
                let future = send(HTTPRequest(at: "https://api.example.com/\(step)"))
                future.observe { _ in
                    ended.withLock { $0 += 1 }
                    group.leave()
                }
                if Int.random(in: 0..<10, using: &generator) == 0 { future.cancel() }
            }
        }
        group.wait()
        #expect(ended.withLock { $0 } == 400)
        let uses = zip(server.sent("nonce"), server.sent("nc")).compactMap { nonce, count in
            nonce.map { "\($0) \(count ?? "")" }
        }
        #expect(uses.count > 200 && Set(uses).count == uses.count)
    }
}

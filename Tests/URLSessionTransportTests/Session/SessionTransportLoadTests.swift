import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct SessionTransportLoadTests {
    @Test func aThousandAtOnceAreAllAnsweredWithTheirOwn() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let transport = SessionTransport(.init(idleTimeout: nil, maxConnectionsPerHost: 50))
        let futures = (0..<1000).map {
            transport.send(HTTPRequest(.get, server.url.appending("/\($0)")))
        }

        for (index, future) in futures.enumerated() {
            #expect(try await future.soon.text == "/\(index)")
        }

        #expect(Set(server.requests.map(\.target)).count == 1000)
    }

    @Test func noMoreAreSentAtOnceThanThereMayBeConnections() async throws {
        let atOnce = Locked((now: 0, most: 0))
        let server = try LoopbackServer(answeringLater: { _ in
            atOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            let answer = Promise<LoopbackAnswer>()
            DispatchQueue.global().async {
                atOnce.withLock { $0.now -= 1 }
                answer.resolve(with: .text("done"))
            }
            return answer
        })
        let transport = SessionTransport(.init(idleTimeout: nil, maxConnectionsPerHost: 3))
        let futures = (0..<60).map { _ in transport.send(HTTPRequest(.get, server.url)) }

        for future in futures { #expect(try await future.soon.text == "done") }

        #expect((1...3).contains(atOnce.withLock { $0.most }))
    }

    @Test func aRequestMayBeSentFromWhereAnotherOneEnded() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let transport = SessionTransport(.init(idleTimeout: nil))
        @Sendable func go(_ left: Int) -> Future<Int> {
            transport.send(HTTPRequest(.get, server.url.appending("/\(left)"))).flatMap { _ in
                left == 0 ? Future(value: server.requests.count) : go(left - 1)
            }
        }

        #expect(try await go(200).soon == 201)
    }

    @Test func connectionsAreUsedAgain() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let transport = SessionTransport(.init(idleTimeout: nil))

        for _ in 0..<20 { _ = try await transport.send(HTTPRequest(.get, server.url)).soon }

        #expect(server.acceptedConnections == 1)
    }

    @Test func nothingOfACallIsLeftAfterItsEnd() async throws {
        let server = try LoopbackServer { .text("\($0.body.count)") }
        let transport = SessionTransport(.init(idleTimeout: nil))
        weak var source: HTTPRequest.BodySource?
        do {
            let brief = HTTPRequest.BodySource(isReplayable: true) {
                HTTPBodyStream(Data(count: 2 << 20))
            }
            source = brief
            let request = HTTPRequest(.put, server.url, body: .stream(brief))
            #expect(try await transport.send(request).soon.text == "\(2 << 20)")
        }
        try await transport.close().soon

        // The session releases its task on a queue of its own.
        #expect(await comesTrue { source == nil })
    }
}

import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct SessionTransportCancelTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func cancellingWhileTheServerThinksHangsUp() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let future = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).soon

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).soon
    }

    @Test func cancellingInTheMiddleOfTheBodyHangsUp() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(Promise())])
        }
        let future = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).soon

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).soon
    }

    @Test func cancellingAfterTheAnswerChangesNothing() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let future = transport.send(HTTPRequest(.get, server.url))
        let response = try await future.soon

        future.cancel()

        #expect(try future.result?.get() == response)
    }

    @Test func oneCancelledCallLeavesTheOthersAlone() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        let futures = (0..<4).map {
            transport.send(HTTPRequest(.get, server.url.appending("/\($0)")))
        }
        _ = try await server.received(4).soon

        futures[2].cancel()
        try await server.hungUp(1).soon
        go.resolve()

        for index in [0, 1, 3] {
            #expect(try await futures[index].soon.text == "/\(index)")
        }
    }

    @Test func cancellingAtAnyMomentNeverTrapsNorHangs() async throws {
        let server = try LoopbackServer { _ in .text("quick") }
        for round in 0..<1000 {
            let future = transport.send(HTTPRequest(.get, server.url.appending("/\(round)")))
            for _ in 0..<(round % 40) { await Task.yield() }
            future.cancel()
            switch await future.resultSoon {
            case .success(let response): #expect(response.text == "quick")
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        #expect(try await transport.send(HTTPRequest(.get, server.url)).soon.text == "quick")
    }

    /// The cancellation and the session's question are combined at every moment in turn.
    ///
    /// If the question is answered too late, FoundationNetworking stops the process.
    @Test(arguments: [302, 307, 401])
    func cancellingWhileTheSessionAsks(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text(
                "no", status: status,
                headers: ["Location": "/end", "WWW-Authenticate": "Basic realm=\"a\""])
        }
        let queue = DispatchQueue(label: "cancelling")
        for round in 0..<300 {
            let future = transport.send(HTTPRequest(.get, server.url))
            let requests = server.received(round + 1)
            requests.observe { _ in
                queue.async {
                    for _ in 0..<(round % 30 * 100) { _ = future.isSettled }
                    future.cancel()
                }
            }
            _ = await future.resultSoon
            _ = try? await requests.soon
        }
        #expect(try await transport.send(HTTPRequest(.get, server.url)).soon.status == status)
    }

    @Test func cancellingFromManyThreadsAtOnce() async throws {
        let server = try LoopbackServer { _ in .text("quick") }
        let transport = transport
        let futures = Locked([Future<HTTPResponse>]())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<50 {
                let future = transport.send(HTTPRequest(.get, server.url))
                futures.withLock { $0.append(future) }
                if (thread + round) % 2 == 0 { future.cancel() }
            }
        }
        for future in futures.withLock({ $0 }) {
            let result = await future.resultSoon
            switch result {
            case .success(let response): #expect(response.text == "quick")
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}

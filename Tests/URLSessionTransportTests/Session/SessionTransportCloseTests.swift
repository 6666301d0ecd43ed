import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct SessionTransportCloseTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func aClosedTransportRefusesCallsAndSendsNothing() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        try await transport.close().soon

        for body in [HTTPRequest.Body.none, .data(Data([1]))] {
            let request = HTTPRequest(.post, server.url, body: body)
            let whole = try await transport.send(request).httpError
            let streamed = try await transport.stream(request).httpError
            #expect(whole.code == .transportClosed)
            #expect(whole.request == request)
            #expect(streamed.code == .transportClosed)
        }
        #expect(server.requests.isEmpty)
        #expect(server.acceptedConnections == 0)
    }

    @Test func closingLetsCallsFinish() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("done").steps)
        }
        let futures = (0..<3).map { _ in transport.send(HTTPRequest(.get, server.url)) }
        _ = try await server.received(3).soon

        let closed = transport.close()
        let late = try await transport.send(HTTPRequest(.get, server.url)).httpError
        #expect(late.code == .transportClosed)
        #expect(!closed.isSettled)
        go.resolve()

        for future in futures { #expect(try await future.soon.text == "done") }
        try await closed.soon
        #expect(server.requests.count == 3)
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func closingCancelsCallsWhereAskedTo() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let futures = (0..<3).map { _ in transport.send(HTTPRequest(.get, server.url)) }
        _ = try await server.received(3).soon

        let closed = transport.close(cancelling: true)

        for future in futures {
            await #expect(throws: CancellationError.self) { try await future.soon }
        }
        try await closed.soon
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func closingTwiceIsHarmlessAndMayBecomeStricter() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let future = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).soon

        let first = transport.close()
        first.cancel()
        let second = transport.close()
        let third = transport.close(cancelling: true)

        await #expect(throws: CancellationError.self) { try await future.soon }
        try await second.soon
        try await third.soon
        try await transport.close().soon
    }

    @Test func closingCancelsWhatIsBeingReadAndSpooled() async throws {
        let server = try LoopbackServer { _ in .chunked(["half"]) }
        let never = Promise<Data?>()
        let source = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(next: { never })
        }
        let spooled = transport.send(HTTPRequest(.post, server.url, body: .stream(source)))

        let closed = transport.close(cancelling: true)

        await #expect(throws: CancellationError.self) { try await spooled.soon }
        try await closed.soon
        #expect(server.requests.isEmpty)
    }

    @Test func aReleasedTransportFinishesItsCallsAndLeavesNothingBehind() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("done").steps)
        }
        var future: Future<HTTPResponse>?
        weak var transport: SessionTransport?
        do {
            let brief = SessionTransport(.init(idleTimeout: nil))
            transport = brief
            future = brief.send(HTTPRequest(.get, server.url))
        }
        #expect(transport == nil)
        _ = try await server.received(1).soon
        go.resolve()

        #expect(try await future?.soon.text == "done")
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func whileOthersCloseNoCallTouchesAGoneSession() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        for _ in 0..<40 {
            let transport = SessionTransport(.init(idleTimeout: nil))
            let futures = Locked([Future<HTTPResponse>]())
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<6 {
                    if thread == 0, round == 2 { transport.close(cancelling: round % 2 == 0) }
                    let future = transport.send(HTTPRequest(.get, server.url))
                    futures.withLock { $0.append(future) }
                }
            }
            for future in futures.withLock({ $0 }) {
                switch await future.resultSoon {
                case .success(let response): #expect(response.text == "done")
                case .failure(let error as HTTPError): #expect(error.code == .transportClosed)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
            try await transport.close().soon
        }
    }
}

@Suite(.oneAtATime)
struct SessionTransportCancelTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

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

#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeServices
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct AHCTransportStreamTests {
    let transport = AHCTransport()

    @Test func givesTheHeadersBeforeTheBody() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)), .hold(gate),
                .body(Data("late".utf8)),
            ])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(response.status == 200)
        #expect(response.body.length == 4)
        #expect(response.url == server.url)
        #expect(response.timing.untilHeaders != nil)
        let first = response.body.next()
        #expect(first.result == nil)
        gate.resolve()
        #expect(try await first.value == Data("late".utf8))
        #expect(try await response.body.next().value == nil)
        #expect(try await response.body.next().value == nil)
    }

    @Test func holdsTheServerBack() async throws {
        let size = 32 << 20
        let server = try LoopbackServer { request in
            guard request.target == "/large" else { return .text("ok") }
            let answer = LoopbackAnswer.response(body: Data(repeating: 7, count: size))
            return LoopbackAnswer(answer.steps + [.close])
        }
        let other = AHCTransport()
        let large = HTTPRequest(.get, server.url.appending(path: "large"))
        let response = try await transport.stream(large).value
        var count = try #require(try await response.body.next().value).count
        // Turns for the server's only thread, which is busy while a client reads.
        for _ in 0..<100 { _ = try await other.send(HTTPRequest(.get, server.url)).value }
        try await other.close().value
        try await server.connectionsOpen(atMost: 1).value
        #expect(server.openConnections == 1)
        for try await chunk in response.body { count += chunk.count }
        #expect(count == size)
        try await server.connectionsOpen(atMost: 0).value
    }

    @Test func freesTheConnectionWhenTheBodyIsCancelled() async throws {
        let server = try LoopbackServer { _ in
            .chunked(["first"] + Array(repeating: String(repeating: "x", count: 65_536), count: 99))
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(try await response.body.next().value == Data("first".utf8))
        response.body.cancel()
        try await server.connectionsOpen(atMost: 0).value
        await #expect(throws: CancellationError.self) { try await response.body.next().value }
    }

    @Test func freesTheConnectionWhenTheResponseIsReleased() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)),
                .hold(Promise<Void>()),
            ])
        }
        #expect(try await transport.stream(HTTPRequest(.get, server.url)).value.status == 200)
        try await server.hungUp(1).value
    }

    @Test func keepsTheConnectionWhenTheBodyIsReadToItsEnd() async throws {
        let server = try LoopbackServer { _ in .chunked(["a", "bc"]) }
        for _ in 0..<3 {
            let response = try await transport.stream(HTTPRequest(.get, server.url)).value
            #expect(try await response.body.collected(upTo: 3).value == Data("abc".utf8))
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test func failsTheBodyWhereItIsCutOff() async throws {
        let server = try LoopbackServer { _ in .truncated("half", of: 8) }
        let request = HTTPRequest(.get, server.url)
        let response = try await transport.stream(request).value
        let error = await #expect(throws: HTTPError.self) {
            for try await _ in response.body {}
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.request == request)
        await #expect(throws: HTTPError.self) { try await response.body.next().value }
    }

    @Test func endsABodyAtTheDeadline() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)),
                .hold(Promise<Void>()),
            ])
        }
        let scheduler = ManualScheduler()
        let call = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.stream(HTTPRequest(.get, server.url))
        }
        let response = try await call.value
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(5))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
        try await server.hungUp(1).value
    }

    @Test func waitsForAReaderAsLongAsItLikes() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n".utf8)),
                .body(Data("half".utf8)), .hold(gate),
            ])
        }
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        scheduler.advance(by: .seconds(600))
        #expect(try await response.body.next().value == Data("half".utf8))
        scheduler.advance(by: .seconds(600))
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(59))
        #expect(chunk.result == nil)
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
    }

    @Test func failsAReaderWhoComesAfterTheFailure() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)), .hold(gate),
                .reset,
            ])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        gate.resolve()
        try await server.connectionsOpen(atMost: 0).value
        let error = await #expect(throws: HTTPError.self) { try await response.body.next().value }
        #expect(error?.code == .connectionLost)
    }

    @Test func readsFromAnyThread() async throws {
        let server = try LoopbackServer { _ in .chunked(Array(repeating: "chunk", count: 200)) }
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let response = try await transport.stream(HTTPRequest(.get, server.url)).value
                    var body = Data()
                    for try await chunk in response.body { body += chunk }
                    return body
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies.map(\.count) == Array(repeating: 1_000, count: 8))
    }
}
#endif

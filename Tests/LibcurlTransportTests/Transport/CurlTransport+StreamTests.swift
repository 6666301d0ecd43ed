import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportStreamTests {
    private let transport: CurlTransport

    /// Without an idle timeout: a test among thousands may wait for its turn for minutes.
    init() throws { transport = try .with { $0.idleTimeout = nil } }

    @Test func aSlowReaderHoldsTheServerBack() async throws {
        let size = 64 << 20
        let sent = Locked(0)
        let server = try SocketServer { connection in
            while let head = connection.head() {
                guard head.contains("/large") else {
                    connection.answer("ok")
                    continue
                }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                let piece = [UInt8](repeating: 7, count: 1 << 16)
                while sent.withLock({ $0 }) < size, connection.send(piece) {
                    sent.withLock { $0 += piece.count }
                }
            }
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url("/large"))).soon
        #expect(await comesTrue { sent.withLock { $0 } > 1 << 20 })
        // Turns in which the server could continue.
        for _ in 0..<200 { _ = try await transport.get(server.url("/small")).soon }
        // The sockets hold some megabytes; the transport holds at most the unread bytes that the limit
        // allows.
        #expect(sent.withLock { $0 } < 24 << 20)
        var count = 0
        for try await chunk in response.body {
            #expect(chunk.allSatisfy { $0 == 7 })
            // The unread bytes that the limit allows, and one of libcurl's buffers, although the sockets hold
            // more.
            #expect(chunk.count <= (1 << 20) + 65_536)
            count += chunk.count
        }
        #expect(count == size)
        try await transport.close().soon
        server.stop()
    }

    @Test func aSlowServerHoldsTheSourceBack() async throws {
        let goes = Promise<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            while !goes.isSettled {}
            guard connection.bytes(64 << 20) != nil else { return }
            connection.answer("ok")
            connection.awaitEnd()
        }
        let asked = Locked(0)
        let source = HTTPRequest.BodySource(length: 64 << 20, isReplayable: true) {
            HTTPBodyStream(
                length: 64 << 20,
                next: {
                    let count = asked.withLock { asked in
                        asked += 1
                        return asked
                    }
                    return Future(value: count > 1_024 ? nil : Data(count: 65_536))
                })
        }
        let call = transport.send(HTTPRequest(.put, server.url(), body: .stream(source)))
        let other = try LoopbackServer { _ in .text("ok") }
        #expect(await comesTrue { asked.withLock { $0 } >= 4 })
        for _ in 0..<200 { _ = try await transport.get(other).soon }
        // The bytes in the two sockets, and those that are read ahead.
        #expect(asked.withLock { $0 } < 512)
        goes.resolve()
        #expect(try await call.soon.text == "ok")
        try await transport.close().soon
        server.stop()
    }

    @Test func goesBothWaysAtOnce() async throws {
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Each chunk comes as "1\r\nx\r\n", and goes back as it is; the last one has a byte less.
            while let chunk = connection.bytes(5), chunk.first == UInt8(ascii: "1"),
                let last = connection.bytes(1)
            {
                connection.send(chunk + last)
            }
            connection.send("0\r\n\r\n")
        }
        let source = ScriptedSource()
        let body = HTTPRequest.BodySource(isReplayable: true) { source.stream() }
        let call = transport.stream(HTTPRequest(.post, server.url(), body: .stream(body)))
        let response = try await call.soon
        for (index, text) in ["a", "b", "c", "d", "e"].enumerated() {
            #expect(await comesTrue { source.asked == index + 1 })
            source.give(text)
            #expect(try await response.body.next().soon == Data(text.utf8))
        }
        #expect(await comesTrue { source.asked == 6 })
        source.give(nil)
        #expect(try await response.body.next().soon == nil)
        try await transport.close().soon
        server.stop()
    }

    @Test func tellsThatASourceFails() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let sources = [
            HTTPRequest.BodySource(isReplayable: true) { throw Broken() },
            HTTPRequest.BodySource(isReplayable: true) {
                HTTPBodyStream(next: { Future(error: Broken()) })
            },
        ]
        for source in sources {
            let request = HTTPRequest(.post, server.url, body: .stream(source))
            let error = try await transport.send(request).httpError
            #expect(error.code == .bodyUnreadable)
            #expect(error.cause is Broken)
        }
        #expect(server.requests.isEmpty)
    }
}

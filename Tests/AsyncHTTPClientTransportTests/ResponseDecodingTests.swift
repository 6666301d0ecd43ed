#if AsyncHTTPClient
import Foundation
import HTTPTestSupport
import NIOCore
import NIOPosix
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct ResponseDecodingTests {
    private func call(
        fieldsOf size: Int, count: Int, limit: Int?
    ) async throws -> HTTPResponse {
        var configuration = AHCTransport.Configuration()
        if let limit { configuration.maxHeadSize = limit }
        let lines = (0..<count).map { "X-\($0): \(String(repeating: "a", count: size))\r\n" }
        let server = try LoopbackServer { _ in
            .raw("HTTP/1.1 200 OK\r\n\(lines.joined())Content-Length: 2\r\n\r\nok")
        }
        return try await AHCTransport(configuration).send(HTTPRequest(.get, server.url)).value
    }

    @Test(arguments: [(200_000, 1), (100, 1_500), (10, 5_000)])
    func aHeadMayHaveAsManyBytesAsItIsTold(size: Int, count: Int) async throws {
        let response = try await call(fieldsOf: size, count: count, limit: nil)
        #expect(response.text == "ok")
        #expect(response.headers["X-\(count - 1)"]?.utf8.count == size)
    }

    @Test(arguments: [(20_000, 1), (100, 200)])
    func aHeadThatHasMoreIsNoResponse(size: Int, count: Int) async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await call(fieldsOf: size, count: count, limit: 10_000)
        }
        #expect(error?.code == .badResponse)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 ", "a", "the head has too many bytes"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", "the head has too many bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0", nil),
    ])
    func whatIsEndlessIsNoResponse(start: String, again: String, reason: String?) async throws {
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send(start)
            // Endless for a client that reads only a part of it.
            let piece = String(repeating: again, count: 1_000)
            var count = 16 << 20
            while count > 0, connection.send(piece) { count -= piece.utf8.count }
            connection.awaitEnd()
        }
        // With time limits that are never reached.
        let transport = AHCTransport(on: ManualScheduler())
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, server.url())).soon
        }
        #expect(error?.code == .badResponse)
        #expect(error?.reason == reason)
        server.stop()
    }

    @Test func aBodyMayHaveAnyNumberOfChunks() async throws {
        var configuration = AHCTransport.Configuration()
        configuration.maxHeadSize = 100
        let server = try LoopbackServer { _ in
            .chunked(Array(repeating: String(repeating: "a", count: 1_000), count: 100))
        }
        let transport = AHCTransport(configuration)
        let response = try await transport.send(HTTPRequest(.get, server.url)).value
        #expect(response.body.count == 100_000)
    }

    @Test func whatAServerSendsAtOnceDoesNoHarm() async throws {
        // Before the request, while the connection is being prepared.
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Hasty())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        // AsyncHTTPClient may drop an answer that comes too early, and wait for another one.
        let configuration = AHCTransport.Configuration(idleTimeout: .seconds(1))
        for _ in 0..<20 {
            let transport = AHCTransport(configuration)
            switch await transport.send(HTTPRequest(.get, url)).resultWhenSettled {
            case .success(let response): #expect(response.text == "ok")
            case .failure(let error): #expect(error is HTTPError, "\(error)")
            }
        }
        try await server.close()
    }
}

/// Answers before the request.
private final class Hasty: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
#endif

#if AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// A proxy that opens a tunnel to one port of 127.0.0.1, whatever the client asks for.
struct TunnelServer {
    let url: URL
    private let channel: any Channel

    /// - Parameter scheme: "http", or "socks5h" for version 5 of SOCKS (RFC 1928) without a user.
    init(to port: Int, scheme: String = "http") async throws {
        let greetings = scheme == "http" ? Self.http : Self.socks
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TunnelEnd(to: port, greetings))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = URL(string: "\(scheme)://127.0.0.1:\(channel.localAddress?.port ?? 0)")!
    }

    private static let http = [
        Greeting(
            ending: Array("\r\n\r\n".utf8), answer: Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))
    ]

    /// One method, which means no authentication; then the name of a host, and port 80.
    private static let socks = [
        Greeting(ending: [5, 1, 0], answer: [5, 0]),
        Greeting(
            ending: Array("example.invalid".utf8) + [0, 80],
            answer: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ]

    func stop() async throws { try await channel.close() }
}

/// The end of a client's message, and the answer to it.
private struct Greeting {
    let ending: [UInt8]
    let answer: [UInt8]
}

/// Answers the messages, and then forwards everything.
private final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private var greetings: ArraySlice<Greeting>
    private var heard: [UInt8] = []
    private var server: (any Channel)?

    init(to port: Int, _ greetings: [Greeting]) {
        self.port = port
        self.greetings = greetings[...]
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let server { return server.writeAndFlush(bytes, promise: nil) }
        heard += bytes.readableBytesView
        guard let greeting = greetings.first,
            heard.suffix(greeting.ending.count) == greeting.ending[...]
        else { return }
        greetings.removeFirst()
        heard = []
        let answer = ByteBuffer(bytes: greeting.answer)
        guard greetings.isEmpty else {
            return context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
        let (client, own) = (context.channel, NIOLoopBound(self, eventLoop: context.eventLoop))
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TunnelBack(to: client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenSuccess { channel in
                own.value.server = channel
                client.writeAndFlush(answer, promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
}

private final class TunnelBack: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
#endif

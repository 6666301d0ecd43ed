#if AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// A proxy that opens a tunnel to one port of 127.0.0.1, whatever is asked for.
struct TunnelServer {
    let url: URL
    private let channel: any Channel

    init(to port: Int) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TunnelEnd(to: port))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = URL(string: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")!
    }

    func stop() async throws { try await channel.close() }
}

/// Waits for the head of a request, and passes all that follows on.
private final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private var head = ByteBuffer()
    private var server: (any Channel)?

    init(to port: Int) { self.port = port }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let server { return server.writeAndFlush(bytes, promise: nil) }
        head.writeBuffer(&bytes)
        guard String(buffer: head).hasSuffix("\r\n\r\n") else { return }
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
                let answer = "HTTP/1.1 200 Connected\r\n\r\n"
                client.writeAndFlush(ByteBuffer(string: answer), promise: nil)
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

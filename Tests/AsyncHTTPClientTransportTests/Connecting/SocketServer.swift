#if AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Answers on a Unix domain socket with the target and the Host of the request.
struct SocketServer {
    private let channel: any Channel

    init(path: String) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(TargetTeller())
                }
            }
            .bind(unixDomainSocketPath: path).get()
    }

    func stop() async throws { try await channel.close() }
}

private final class TargetTeller: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var answer = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = "\(head.uri) of \(head.headers["Host"].joined(separator: " and "))"
        case .body: break
        case .end:
            var head = HTTPResponseHead(version: .http1_1, status: .ok)
            head.headers.add(name: "Content-Length", value: "\(answer.utf8.count)")
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
#endif

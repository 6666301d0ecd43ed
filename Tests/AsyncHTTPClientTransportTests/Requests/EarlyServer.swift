#if AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix

/// Answers when the beginning of a request has arrived, and continues to read.
struct EarlyServer {
    let url: URL
    private let channel: any Channel

    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - pieces: The pieces of the answer's body, each sent separately.
    ///   - reads: Whether it reads anything.
    ///   - hasLength: Whether the length is announced; the body is chunked otherwise.
    ///   - ends: Whether the last chunk is followed by the end.
    init(status: Int, pieces: [String], hasLength: Bool, ends: Bool = true, reads: Bool = true)
        async throws
    {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: reads)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Answering(status: status, pieces: pieces, hasLength: hasLength, ends: ends))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = URL(string: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/")!
    }

    func stop() async throws { try await channel.close() }
}

/// Writes the answer piece by piece.
private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var pieces: [String]

    init(status: Int, pieces: [String], hasLength: Bool, ends: Bool) {
        let chunks = pieces.map { piece in
            hasLength ? piece : "\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n"
        }
        let length = pieces.reduce(0) { $0 + $1.utf8.count }
        let framing = hasLength ? "Content-Length: \(length)" : "Transfer-Encoding: chunked"
        self.pieces =
            ["HTTP/1.1 \(status) Status\r\n\(framing)\r\n\r\n"] + chunks
            + (hasLength || !ends ? [] : ["0\r\n\r\n"])
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { writeNext(context) }

    private func writeNext(_ context: ChannelHandlerContext) {
        guard !pieces.isEmpty else { return }
        let piece = ByteBuffer(string: pieces.removeFirst())
        context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) {
            self.writeNext(context)
        }
    }
}
#endif

#if AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import PledgeHTTPText
import PledgeHTTPTransportKit

/// Answers over TLS, with HTTP/2 if the client asks for it; the body names the version of HTTP.
struct TLSServer {
    let url: URL
    private let channel: any Channel

    /// - Parameters:
    ///   - protocols: The offered versions of HTTP: "h2", "http/1.1".
    ///   - asksForCertificate: Whether a client without a certificate of the test authority is refused.
    ///   - newest: The newest version of TLS that is accepted.
    ///   - socket: The path of the Unix domain socket to listen on; nil for a port of 127.0.0.1.
    init(
        protocols: [String] = ["http/1.1"], asksForCertificate: Bool = false,
        newest: TLSVersion? = nil, socket: String? = nil
    ) async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(
                TestCertificates.url("server").path
            ).map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: TestCertificates.url("server-key").path, format: .pem)))
        configuration.applicationProtocols = protocols
        configuration.maximumTLSVersion = newest
        if asksForCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(TestCertificates.url("authority").path)
        }
        let context = try NIOSSLContext(configuration: configuration)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureHTTP2SecureUpgrade(
                        h2ChannelConfigurator: Self.configureHTTP2(_:),
                        http1ChannelConfigurator: Self.configureHTTP1(_:))
                }
            }
        if let socket {
            channel = try await bootstrap.bind(unixDomainSocketPath: socket).get()
        } else {
            channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        }
        url = URL(string: "https://localhost:\(channel.localAddress?.port ?? 0)/")!
    }

    func stop() async throws { try await channel.close() }

    private static func configureHTTP2(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.configureHTTP2Pipeline(mode: .server) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(
                    HTTP2FramePayloadToHTTP1ServerCodec(), VersionTeller("HTTP/2"))
            }
        }.map { _ in }
    }

    private static func configureHTTP1(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
            try channel.pipeline.syncOperations.addHandler(VersionTeller("HTTP/1.1"))
        }
    }
}

/// Sends the body back after the version of HTTP and the method.
private final class VersionTeller: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let version: String
    private var answer = ByteBuffer()

    init(_ version: String) { self.version = version }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer = ByteBuffer(string: "\(version) \(head.method) ")
        case .body(var part): answer.writeBuffer(&part)
        case .end:
            var head = NIOHTTP1.HTTPResponseHead(version: .http1_1, status: .ok)
            head.headers.add(name: "Content-Length", value: "\(answer.readableBytes)")
            head.headers.add(name: "set-cookie", value: "a=1")
            head.headers.add(name: "set-cookie", value: "b=2")
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

/// Certificates for these tests only; their keys are in the repository, so they prove nothing.
enum TestCertificates {
    static func url(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Certificates/test-only-\(name).pem")
    }
}

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

#if AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import PledgeHTTPMessages

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
#endif

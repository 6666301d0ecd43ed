#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking
import NIOCore
import NIOHTTP1

/// A proxy to which http requests are sent as they are, with the whole URL in the first line.
///
/// AsyncHTTPClient asks a proxy for a tunnel only, and many proxies open none to port 80. So it is told that
/// the proxy is the server, and its requests get their first lines when they are written.
struct ForwardingProxy: Sendable {
    /// Host and port, as a URL has them.
    private let authority: String
    /// The value of Proxy-Authorization, a secret.
    private let authorization: String?

    init(_ server: ProxySettings.Server) {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        authority = "\(host):\(server.port)"
        authorization = server.user.map { user in
            HTTPClient.Authorization.basic(username: user, password: server.password ?? "")
                .headerValue
        }
    }

    /// What AsyncHTTPClient is to ask for: the URL as the path at the proxy.
    func lowered(_ target: String, of origin: String) -> URL? {
        URL(string: "http://\(authority)/http://\(origin)\(target)")
    }

    /// Has a client write such requests, and no others.
    ///
    /// The requests to all servers share its connections; how many each may have is counted before.
    func install(on configuration: inout HTTPClient.Configuration) {
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1 << 20
        let next = configuration.http1_1ConnectionDebugInitializer
        configuration.http1_1ConnectionDebugInitializer = { [authorization] channel in
            let pipeline = channel.pipeline.syncOperations
            do {
                let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
                try pipeline.addHandler(
                    ForwardedRequestHandler(authorization), position: .after(encoder))
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
    }
}

/// Makes of the path at the proxy the URL that it is, and shows the proxy who we are.
private final class ForwardedRequestHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let authorization: String?

    init(_ authorization: String?) { self.authorization = authorization }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.uri = String(head.uri.dropFirst())
        if let authorization {
            head.headers.replaceOrAdd(name: "Proxy-Authorization", value: authorization)
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif

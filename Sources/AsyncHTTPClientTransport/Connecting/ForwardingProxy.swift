#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOCore
import NIOHTTP1

/// A proxy that http requests are sent to without a tunnel, with the whole URL in the request line.
///
/// AsyncHTTPClient uses a proxy only through a tunnel, and many proxies open no tunnel to port 80. So
/// AsyncHTTPClient gets the proxy as the server, and the request lines are rewritten when they are sent.
struct ForwardingProxy: Sendable {
    /// Host and port, as in a URL.
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

    /// The URL that AsyncHTTPClient gets: the proxy's, with the request's URL as the path.
    func lowered(_ target: String, of origin: String) -> URL? {
        URL(string: "http://\(authority)/http://\(origin)\(target)")
    }

    /// Makes a client write such requests, and no others.
    ///
    /// The requests to all servers share the client's connections; the number for each server is limited
    /// before.
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

/// Replaces the path at the proxy by the URL that it contains, and adds the proxy's credentials.
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

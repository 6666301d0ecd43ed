#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit

/// Where connections go, as far as AsyncHTTPClient supports it.
struct ConnectionRoutes: Sendable {
    /// Gets http requests without a tunnel.
    let forwarding: ForwardingProxy?
    /// Opens tunnels for http requests.
    let http: HTTPClient.Configuration.Proxy?
    let https: HTTPClient.Configuration.Proxy?
    let bypass: ProxyBypass
    /// The Unix domain socket for all requests.
    let unixSocketPath: String?
    /// Fixed addresses by host.
    let addresses: [String: String]
    let pinnedKeys: [PinnedKey]
    /// Why every call is refused; nil if calls are accepted.
    let refusal: UnsupportedSetting?

    init(
        _ settings: ConnectionSettings, in environment: [String: String]
    ) throws(UnsupportedSetting) {
        unixSocketPath = try settings.checkedSocketPath()
        addresses = try settings.singleAddresses()
        pinnedKeys = settings.tls.pinnedKeys
        // With a Unix domain socket, no proxy is needed.
        let choice = ProxyChoice(
            settings.unixSocketPath == nil ? settings.proxy : .none, in: environment)
        let http = try choice.http.map(HTTPClient.Configuration.Proxy.init(_:))
        forwarding = choice.http.flatMap { $0.scheme == "http" ? ForwardingProxy($0) : nil }
        self.http = forwarding == nil ? http : nil
        https = try choice.https.map(HTTPClient.Configuration.Proxy.init(_:))
        bypass = choice.bypass
        refusal = nil
    }

    private init(refusal: UnsupportedSetting? = nil) {
        self.refusal = refusal
        forwarding = nil
        http = nil
        https = nil
        bypass = ProxyBypass([])
        unixSocketPath = nil
        addresses = [:]
        pinnedKeys = []
    }

    /// Each request goes directly to its URL's host.
    static let straight = ConnectionRoutes()

    static func none(_ refusal: UnsupportedSetting) -> ConnectionRoutes {
        ConnectionRoutes(refusal: refusal)
    }

    var hasProxy: Bool { forwarding != nil || http != nil || https != nil }

    func bypasses(_ request: HTTPRequest) -> Bool {
        request.origin.map { bypass.covers($0.host) } ?? true
    }

    /// The URL for AsyncHTTPClient, and the server's name; nil if the URL stays as it is.
    func lowered(_ url: URL) -> (url: URL, host: String)? {
        guard unixSocketPath != nil || forwarding != nil, let origin = HTTPOrigin(url),
            let target = url.requestTarget
        else { return nil }
        let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
        let host = isDefault ? origin.host : "\(origin.host):\(origin.port)"
        let lowered: URL?
        if let unixSocketPath {
            lowered = URL(
                string:
                    "\(origin.scheme)+unix://\(PercentEncoding.word.encode(unixSocketPath))\(target)"
            )
        } else if origin.scheme == "http", !bypass.covers(origin.host) {
            lowered = forwarding?.lowered(target, of: host)
        } else {
            lowered = nil
        }
        return lowered.map { ($0, host) }
    }
}

extension ConnectionSettings {
    fileprivate func checkedSocketPath() throws(UnsupportedSetting) -> String? {
        guard let path = unixSocketPath else { return nil }
        if path.isEmpty || path.utf8.count > 103 {
            throw UnsupportedSetting("unixSocketPath", "a path has 1 to 103 bytes")
        }
        if case .server = proxy.kind {
            throw UnsupportedSetting(
                "proxy", "requests go by the Unix domain socket: set one of the two")
        }
        return path
    }

    fileprivate func singleAddresses() throws(UnsupportedSetting) -> [String: String] {
        var single: [String: String] = [:]
        for (host, addresses) in addresses.sorted(by: { $0.key < $1.key }) {
            guard addresses.count == 1, let address = addresses.first else {
                throw UnsupportedSetting(
                    "addresses",
                    "AsyncHTTPClient takes one address for a host, not \(addresses.count) for"
                        + " \(SafeText.escaped(host)): CurlTransport takes several")
            }
            guard (try? SocketAddress(ipAddress: address, port: 0)) != nil else {
                throw UnsupportedSetting("addresses", "\(SafeText.escaped(address)) is no address")
            }
            single[host] = address
        }
        return single
    }
}

extension HTTPClient.Configuration.Proxy {
    /// Converts a proxy; the errors don't quote its URL, which may contain anything.
    fileprivate init(_ server: ProxySettings.Server) throws(UnsupportedSetting) {
        let (scheme, host) = (server.scheme, server.host)
        guard ["http", "socks5h"].contains(scheme), !host.isEmpty else {
            throw UnsupportedSetting(
                "proxy",
                "AsyncHTTPClient takes the URL of a proxy that begins with http or socks5h:"
                    + " CurlTransport takes https, socks4, socks4a and socks5 too")
        }
        if scheme == "http" {
            let authorization = server.user.map { user in
                HTTPClient.Authorization.basic(username: user, password: server.password ?? "")
            }
            self = .server(host: host, port: server.port, authorization: authorization)
        } else if server.user == nil {
            self = .socksServer(host: host, port: server.port)
        } else {
            throw UnsupportedSetting(
                "proxy", "AsyncHTTPClient shows a SOCKS proxy no user: CurlTransport does")
        }
    }
}

/// A proxy for http requests without a tunnel, which gets the whole URL in the request line.
///
/// AsyncHTTPClient uses proxies only through tunnels, and many proxies open none to port 80. So it gets the proxy as
/// the server, and a handler rewrites the request line.
struct ForwardingProxy: Sendable {
    /// Host and port, as in a URL.
    private let authority: String
    /// Proxy-Authorization's value, a secret.
    private let authorization: String?

    init(_ server: ProxySettings.Server) {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        authority = "\(host):\(server.port)"
        authorization = server.user.map { user in
            HTTPClient.Authorization.basic(username: user, password: server.password ?? "")
                .headerValue
        }
    }

    /// The proxy's URL, with the request's URL as its path.
    func lowered(_ target: String, of origin: String) -> URL? {
        URL(string: "http://\(authority)/http://\(origin)\(target)")
    }

    /// Makes a client send all its requests to this proxy, without tunnels.
    ///
    /// To the client, the proxy is the only server, so its own limit of connections to a server is set very high.
    /// ``CallLanes`` limits them for each real server.
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

/// Turns a request's path back into the URL that it contains, and adds the proxy's credentials.
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

/// Closes connections to servers with none of the pinned keys.
struct PinnedKeyCheck: Sendable {
    let keys: [PinnedKey]

    /// Checks each connection after the handshake, before the first request.
    func install(on configuration: inout HTTPClient.Configuration) {
        if keys.isEmpty { return }
        configuration.http1_1ConnectionDebugInitializer = checking(
            configuration.http1_1ConnectionDebugInitializer)
        configuration.http2ConnectionDebugInitializer = checking(
            configuration.http2ConnectionDebugInitializer)
    }

    private typealias Initializer = @Sendable (any Channel) -> EventLoopFuture<Void>

    private func checking(_ next: Initializer?) -> Initializer {
        { channel in
            guard hasPinnedKey(channel) else {
                let loop = channel.eventLoop
                // AsyncHTTPClient drops a connection that fails this check, but doesn't close it.
                loop.execute { channel.close(promise: nil) }
                return loop.makeFailedFuture(PinnedKeyMismatch())
            }
            return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func hasPinnedKey(_ channel: any Channel) -> Bool {
        let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        guard let key = try? handler?.peerCertificate?.extractPublicKey().toSPKIBytes() else {
            return false
        }
        return keys.contains { $0.matches(key) }
    }
}

struct PinnedKeyMismatch: Error, CustomStringConvertible {
    var description: String { "the server has none of the pinned keys" }
}
#endif

#if AsyncHTTPClient
import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOPosix
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

/// A use of a client; while any use of the client exists, the client is not shut down.
///
/// A transport holds a use until the transport is closed or the client is replaced, and each call holds the use until
/// the call ends. After the last release, the transport's own client is shut down, because AsyncHTTPClient traps if a
/// client is released without a shutdown.
///
/// A call must release its use itself, because AsyncHTTPClient never releases an upload that was cut off by a
/// cancellation or by the server.
final class ClientUse: Sendable {
    let lease: ClientLease

    init(_ lease: ClientLease) { self.lease = lease }

    deinit {
        // The shutdown runs later, because AsyncHTTPClient may release this object within one of its own calls.
        DispatchQueue.global().async { [lease] in lease.shutDown() }
    }
}

/// The leases of a transport that have not ended: one for all hosts, and others for hosts whose connections have gone
/// silent.
final class ClientLeases: Sendable {
    /// Resolves after the last lease has ended.
    let ended = InternalPromise<Void>()
    private let leases = Locked<[ObjectIdentifier: ClientLease]>([:])

    /// The number of leases.
    var count: Int { leases.withLock { $0.count } }

    fileprivate func add(_ lease: ClientLease) {
        leases.withLock { $0[ObjectIdentifier(lease)] = lease }
    }

    fileprivate func remove(_ lease: ClientLease) {
        let isLast = leases.withLock { leases in
            leases[ObjectIdentifier(lease)] = nil
            return leases.isEmpty
        }
        if isLast { ended.resolve() }
    }

    /// Ends all running calls, if the clients are the transport's own.
    func cancel() {
        for lease in leases.withLock({ Array($0.values) }) { lease.cancel() }
    }
}

/// The clients of a transport, with the state that its calls share.
final class ClientLease: Sendable {
    /// The client that sends a request, and the lanes that limit the running calls.
    struct Route {
        let client: HTTPClient
        /// The limit on running calls; nil if calls may share a connection, or if the client is the app's.
        let lanes: CallLanes?
    }

    /// The time limits of the client.
    struct Limits {
        /// The longest time to connect.
        let connect: Duration
        /// The longest time that a call waits for a connection; nil for no limit.
        let connectionWait: Duration?
    }

    /// The proxies, sockets and addresses of the connections.
    let routes: ConnectionRoutes
    private let secure: Route
    /// The route of http URLs, which never uses HTTP/2.
    ///
    /// This route has its own client. A client that may use HTTP/2 would first make one connection, to learn whether
    /// the server supports HTTP/2, and would then make most other connections on one event loop.
    private let plain: Route
    /// The routes of hosts that bypass the proxy; nil without a proxy or without such hosts.
    private let bypassing: (secure: Route, plain: Route)?
    private let isOwned: Bool
    /// The tracker of connections; nil if the client is the app's.
    let connections: ConnectionTracker?
    /// The client's time limits; nil if the client is the app's.
    let limits: Limits?
    /// The number of the transport's own clients that have not been shut down.
    private let running: Locked<Int>
    private let leases: ClientLeases
    private let wasCancelled = Locked(false)

    /// Creates the transport's own clients.
    init(
        _ configuration: AHCTransport.Configuration, _ routes: ConnectionRoutes,
        in leases: ClientLeases
    ) {
        let group = MultiThreadedEventLoopGroup.singleton
        let connections = ConnectionTracker(in: group, limit: configuration.maxConnectionsPerHost)
        let lanes = CallLanes(in: group, limit: configuration.maxConnectionsPerHost)
        var withoutTLS = configuration
        withoutTLS.allowsHTTP2 = false
        let secure = { (proxy: HTTPClient.Configuration.Proxy?) in
            Route(
                client: configuration.client(
                    in: group, noting: connections, by: proxy, routes, isSecure: true),
                lanes: configuration.allowsHTTP2 ? nil : lanes)
        }
        let plain = { (proxy: HTTPClient.Configuration.Proxy?, forwarding: ForwardingProxy?) in
            Route(
                client: withoutTLS.client(
                    in: group, noting: connections, by: proxy, forwarding: forwarding, routes,
                    isSecure: false),
                lanes: lanes)
        }
        self.routes = routes
        self.secure = secure(routes.https)
        self.plain = plain(routes.http, routes.forwarding)
        bypassing =
            routes.hasProxy && !routes.bypass.isEmpty ? (secure(nil), plain(nil, nil)) : nil
        running = Locked(bypassing == nil ? 2 : 4)
        isOwned = true
        limits = Limits(
            connect: configuration.connectTimeout,
            connectionWait: configuration.connectionWaitTimeout)
        self.connections = connections
        self.leases = leases
        leases.add(self)
    }

    /// Uses a client of the app.
    init(_ client: HTTPClient, in leases: ClientLeases) {
        routes = .straight
        secure = Route(client: client, lanes: nil)
        plain = secure
        bypassing = nil
        running = Locked(0)
        isOwned = false
        limits = nil
        connections = nil
        self.leases = leases
        leases.add(self)
    }

    /// Returns the route of a request.
    ///
    /// - Parameters:
    ///   - host: The scheme and authority of the request's URL.
    ///   - request: The request.
    func route(to host: String, for request: HTTPRequest) -> Route {
        // The URL begins with "http:" or "https:", in any case.
        let isPlain = host.utf8.dropFirst(4).first == UInt8(ascii: ":")
        if let bypassing, routes.bypasses(request) {
            return isPlain ? bypassing.plain : bypassing.secure
        }
        return isPlain ? plain : secure
    }

    /// Any event loop of the client.
    var anyLoop: any EventLoop { secure.client.eventLoopGroup.any() }

    /// Ends all running calls, if the client is the transport's own.
    func cancel() {
        guard isOwned else { return }
        wasCancelled.withLock { $0 = true }
        shutDown()
    }

    /// True if ``cancel()`` has ended calls.
    var isCancelled: Bool { wasCancelled.withLock { $0 } }

    /// Shuts the transport's own clients down; a second shutdown fails without effect.
    fileprivate func shutDown() {
        guard isOwned else { return leases.remove(self) }
        let all = [secure, plain] + (bypassing.map { [$0.secure, $0.plain] } ?? [])
        for client in all.map(\.client) {
            client.shutdown { error in
                guard error == nil else { return }
                let isLast = self.running.withLock { running in
                    running -= 1
                    return running == 0
                }
                if isLast { self.leases.remove(self) }
            }
        }
    }
}

extension AHCTransport.Configuration {
    /// Creates a client with this configuration.
    ///
    /// It uses SwiftNIO's own threads on every system, because some TLS settings would trap over Apple's
    /// Network.framework.
    func client(
        in group: MultiThreadedEventLoopGroup, noting connections: ConnectionTracker,
        by proxy: HTTPClient.Configuration.Proxy?, forwarding: ForwardingProxy? = nil,
        _ routes: ConnectionRoutes, isSecure: Bool
    ) -> HTTPClient {
        var configuration = lowered()
        configuration.proxy = proxy
        configuration.dnsOverride = routes.addresses
        connections.watch(
            &configuration, decoding: ResponseDecoding(maxHeadSize: max(1, maxHeadSize)))
        forwarding?.install(on: &configuration)
        if isSecure { PinnedKeyCheck(keys: routes.pinnedKeys).install(on: &configuration) }
        return HTTPClient(eventLoopGroup: group, configuration: configuration)
    }

    func lowered() -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.timeout.connect = TimeAmount(saturating: connectTimeout)
        configuration.connectionPool.idleTimeout = TimeAmount(saturating: keepAlive)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
            1, maxConnectionsPerHost)
        // AsyncHTTPClient must not try again by itself, because a policy decides whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = allowsHTTP2 ? .automatic : .http1Only
        #if Observability
        // The middleware `openTelemetry` creates the span of a request, and AsyncHTTPClient would create a second one.
        configuration.tracing.tracer = nil
        #endif
        return configuration
    }
}

extension TimeAmount {
    /// Creates a time from a duration, limited to 64 bits of nanoseconds.
    init(saturating duration: Duration) {
        self = .nanoseconds(max(0, min(duration.nanoseconds, .max / 2)))
    }
}
#endif

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

/// Keeps a client from being shut down.
///
/// The transport keeps this until it's closed or the client is replaced, and each call until it ends. After the last
/// release, the transport's own client is shut down, because AsyncHTTPClient traps if a client is released without
/// that.
///
/// A call must release this itself: AsyncHTTPClient never releases an upload that a cancellation or the server has cut
/// off.
final class ClientUse: Sendable {
    let lease: ClientLease

    init(_ lease: ClientLease) { self.lease = lease }

    deinit {
        // Later, because AsyncHTTPClient may release this object within one of its own calls.
        DispatchQueue.global().async { [lease] in lease.shutDown() }
    }
}

/// A transport's leases: one for all hosts, and one for each host whose connections have gone silent.
final class ClientLeases: Sendable {
    let ended = InternalPromise<Void>()
    private let leases = Locked<[ObjectIdentifier: ClientLease]>([:])

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

/// A transport's clients, with the state that their calls share.
final class ClientLease: Sendable {
    /// The client for a request, and the lanes that limit the running calls.
    struct Route {
        let client: HTTPClient
        /// Nil if calls may share a connection, or if the client is the app's.
        let lanes: CallLanes?
    }

    struct Limits {
        /// The longest time to connect.
        let connect: Duration
        /// Nil for no limit.
        let connectionWait: Duration?
    }

    /// The proxies, sockets and addresses of the connections.
    let routes: ConnectionRoutes
    private let secure: Route
    /// The route of http URLs, whose client never uses HTTP/2.
    ///
    /// A client that may use HTTP/2 would first make one connection, to learn what the server supports, and then most
    /// others on a single event loop.
    private let plain: Route
    /// The routes of hosts that bypass the proxy.
    private let bypassing: (secure: Route, plain: Route)?
    private let isOwned: Bool
    /// Nil if the client is the app's.
    let connections: ConnectionTracker?
    /// Nil if the client is the app's.
    let limits: Limits?
    /// How many of the transport's own clients haven't been shut down.
    private let running: Locked<Int>
    private let leases: ClientLeases
    private let wasCancelled = Locked(false)

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

    /// `host` is the scheme and authority of the request's URL.
    func route(to host: String, for request: HTTPRequest) -> Route {
        // The URL begins with "http:" or "https:", in any case.
        let isPlain = host.utf8.dropFirst(4).first == UInt8(ascii: ":")
        if let bypassing, routes.bypasses(request) {
            return isPlain ? bypassing.plain : bypassing.secure
        }
        return isPlain ? plain : secure
    }

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
    /// A client on SwiftNIO's own threads, because some TLS settings would trap over Apple's Network.framework.
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
        // A policy decides whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = allowsHTTP2 ? .automatic : .http1Only
        #if Observability
        // `openTelemetry` creates a request's span; AsyncHTTPClient would create a second one.
        configuration.tracing.tracer = nil
        #endif
        return configuration
    }
}

extension TimeAmount {
    init(saturating duration: Duration) {
        self = .nanoseconds(max(0, min(duration.nanoseconds, .max / 2)))
    }
}
#endif

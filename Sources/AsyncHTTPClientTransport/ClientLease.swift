#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore
import NIOPosix

/// A client, kept by a transport and by each call that is under way.
///
/// When the last of them lets go of it, a client of the transport's own is shut down: AsyncHTTPClient
/// traps where one is released that was not.
final class ClientLease: Sendable {
    /// By what a request is sent.
    struct Route {
        let client: HTTPClient
        /// Nil where calls may share a connection, or the client is the app's.
        let lanes: CallLanes?
    }

    /// Which limits of time the client keeps.
    struct Limits {
        /// How long a connection may take to be made.
        let connect: Duration
        /// How long a call may wait for one, nil forever.
        let connectionWait: Duration?
    }

    /// Where connections go.
    let routes: ConnectionRoutes
    private let secure: Route
    /// For http URLs.
    ///
    /// A client that may speak HTTP/2 makes one connection first to see whether the server does, and then
    /// most others on one event loop. Without TLS it never does.
    private let plain: Route
    /// For hosts to which requests go without the proxy; nil where there is none, or nobody is excepted.
    private let bypassing: (secure: Route, plain: Route)?
    private let isOwned: Bool
    /// Nil where the client is the app's.
    let connections: ConnectionsMade?
    /// How long what may take, nil where the client is the app's.
    let limits: Limits?
    /// Nil where calls are not watched.
    let watches: IdleWatches?
    /// How many of a transport's own clients have not been shut down.
    private let running: Locked<Int>
    private let ended: InternalPromise<Void>
    private let wasCancelled = Locked(false)

    /// A client of the transport's own.
    init(
        _ configuration: AHCTransport.Configuration, _ routes: ConnectionRoutes,
        _ scheduler: any Scheduler, ended: InternalPromise<Void>
    ) {
        let group = MultiThreadedEventLoopGroup.singleton
        let connections = ConnectionsMade(in: group, limit: configuration.maxConnectionsPerHost)
        let lanes = CallLanes(
            in: group, limit: configuration.maxConnectionsPerHost,
            patience: configuration.connectionWaitTimeout, on: scheduler)
        var withoutTLS = configuration
        withoutTLS.httpVersion = .http1Only
        let secure = { (proxy: HTTPClient.Configuration.Proxy?) in
            Route(
                client: configuration.client(
                    in: group, noting: connections, by: proxy, routes, isSecure: true),
                lanes: configuration.httpVersion == .http1Only ? lanes : nil)
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
        watches = configuration.idleTimeout.map { IdleWatches($0, on: scheduler) }
        self.ended = ended
    }

    /// A client of the app's.
    init(
        _ client: HTTPClient, idleTimeout: Duration?, _ scheduler: any Scheduler,
        ended: InternalPromise<Void>
    ) {
        routes = .straight
        secure = Route(client: client, lanes: nil)
        plain = secure
        bypassing = nil
        running = Locked(0)
        isOwned = false
        limits = nil
        connections = nil
        watches = idleTimeout.map { IdleWatches($0, on: scheduler) }
        self.ended = ended
    }

    deinit { shutDown() }

    /// By what a request is sent.
    ///
    /// - Parameter host: Scheme and authority of its URL.
    func route(to host: String, for request: HTTPRequest) -> Route {
        // "http:" or "https:", in any case.
        let isPlain = host.utf8.dropFirst(4).first == UInt8(ascii: ":")
        if let bypassing, routes.bypasses(request) {
            return isPlain ? bypassing.plain : bypassing.secure
        }
        return isPlain ? plain : secure
    }

    /// An event loop of the client's.
    var anyLoop: any EventLoop { secure.client.eventLoopGroup.any() }

    /// Ends all calls that are under way, where the client is the transport's own.
    func cancel() {
        guard isOwned else { return }
        wasCancelled.withLock { $0 = true }
        shutDown()
    }

    /// Whether calls have been ended by ``cancel()``.
    var isCancelled: Bool { wasCancelled.withLock { $0 } }

    /// Harmless twice: the second time fails, and that is all.
    private func shutDown() {
        guard isOwned else {
            ended.resolve()
            return
        }
        let all = [secure, plain] + (bypassing.map { [$0.secure, $0.plain] } ?? [])
        for client in all.map(\.client) {
            client.shutdown { [running, ended] error in
                guard error == nil else { return }
                let isLast = running.withLock { running in
                    running -= 1
                    return running == 0
                }
                if isLast { ended.resolve() }
            }
        }
    }
}
#endif

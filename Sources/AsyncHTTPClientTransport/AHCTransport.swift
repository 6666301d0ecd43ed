#if AsyncHTTPClient
public import AsyncHTTPClient
public import PledgeFutures
public import PledgeHTTPNetworking

/// AsyncHTTPClient as a transport: HTTP/1.1 and HTTP/2, streamed both ways.
///
/// ```swift
/// let transport = AHCTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged and follows no redirect: `.redirect()` does that. A connection that cannot
/// be made fails the call at once: `.retry()` tries again. Connections are kept and used again; over TLS,
/// HTTP/2 is used if the server supports it.
///
/// ## Heads of responses
///
/// The fields of a response keep their order. A value that is not UTF-8 is read as ISO-8859-1; over HTTP/2,
/// and over a client of the app, AsyncHTTPClient replaces such bytes by U+FFFD. Over HTTP/1.1,
/// ``Configuration/maxHeadSize`` limits the size of a head. AsyncHTTPClient has limits of its own over
/// HTTP/2, 16 KiB, and over a client of the app, 80 KiB for a field and 256 fields.
///
/// ## Threads
///
/// Futures settle on an event loop of SwiftNIO, which many connections share: observers must not block there,
/// and pass long work on with `observe(on:)`. A call that is refused before anything is sent has settled when
/// the method returns. The source of a request's body is opened and read on another thread, so it may block.
public final class AHCTransport {
    /// A transport with the default configuration, for the whole process.
    ///
    /// It cannot be closed.
    public static let shared = AHCTransport()

    let limits: TransportExchange.Limits
    let scheduler: any Scheduler
    private let closed: InternalPromise<Void>
    /// Nil after the transport has been closed; each call keeps it until the call ends.
    private let client: Locked<ClientUse?>

    /// Makes a transport with connections of its own.
    ///
    /// It uses the proxy that the environment names, as ``init(_:connecting:on:)`` does by default. If
    /// AsyncHTTPClient cannot use that proxy, each call fails with the code `unsupported`, and the error says
    /// why.
    ///
    /// - Parameters:
    ///   - configuration: Its connections and limits.
    ///   - scheduler: The clock of ``Configuration/idleTimeout``.
    public convenience init(
        _ configuration: Configuration = Configuration(), on scheduler: some Scheduler = .live
    ) {
        self.init(configuration, in: ProcessInfo.processInfo.environment, on: scheduler)
    }

    convenience init(
        _ configuration: Configuration, in environment: [String: String],
        on scheduler: some Scheduler
    ) {
        let routes: ConnectionRoutes
        do {
            routes = try ConnectionRoutes(ConnectionSettings(), in: environment)
        } catch {
            routes = .none(error)
        }
        self.init(configuration, routes, scheduler)
    }

    /// Makes a transport with connections of its own, which follow the settings.
    ///
    /// ```swift
    /// let transport = try AHCTransport(connecting: settings)
    /// ```
    ///
    /// - **TLS.** All of `TLSSettings` is supported; files are read now. ``Configuration/tls`` is the same in
    ///   AsyncHTTPClient's own terms: leave one of the two at its default.
    /// - **Proxies.** `http` with or without a user (Basic), and `socks5h` without one. The environment's are
    ///   `http_proxy` (in lower case only), `https_proxy`, `all_proxy` and `no_proxy`, read now.
    /// - **Versions.** Automatic, or HTTP/1.1.
    /// - **Unix domain sockets.** Over a socket, no proxy is used. A certificate cannot be compared with a
    ///   host there: https URLs need `TLSSettings/Verification/authorityOnly`, and fail with the code
    ///   `insecureConnection` otherwise.
    /// - **Addresses.** One for each host, in lower case as it is written in URLs.
    ///
    /// - Parameters:
    ///   - configuration: Its limits, and how long it keeps connections.
    ///   - settings: How connections are made.
    ///   - scheduler: The clock of ``Configuration/idleTimeout``.
    /// - Throws: An `UnsupportedSetting` if AsyncHTTPClient cannot apply a setting, or if a file cannot be
    ///   read.
    public convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        on scheduler: some Scheduler = .live
    ) throws(UnsupportedSetting) {
        try self.init(
            configuration, connecting: settings, in: ProcessInfo.processInfo.environment,
            on: scheduler)
    }

    convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        in environment: [String: String], on scheduler: some Scheduler = .live
    ) throws(UnsupportedSetting) {
        let routes = try ConnectionRoutes(settings, in: environment)
        let configuration = try configuration.keeping(settings)
        self.init(configuration, routes, scheduler)
    }

    private convenience init(
        _ configuration: Configuration, _ routes: ConnectionRoutes, _ scheduler: any Scheduler
    ) {
        let closed = InternalPromise<Void>()
        let lease = ClientLease(configuration, routes, ended: closed)
        let connectionWait = configuration.connectionWaitTimeout
        let limits = TransportExchange.Limits(
            maxBodySize: configuration.maxBodySize, maxUnreadBytes: Self.maxUnreadBytes,
            idle: configuration.idleTimeout.map { IdleWatches($0, on: scheduler) },
            connectionWait: connectionWait.map { IdleWatches($0, on: scheduler) })
        self.init(lease, closed, limits, scheduler)
    }

    /// Makes a transport over a client that the app has already.
    ///
    /// Make that client with `redirectConfiguration: .disallow`. Otherwise it follows redirects itself, and
    /// sends credentials to wherever they lead, as `HTTPClient.shared` does. Set its
    /// `connectionPool.retryConnectionEstablishment` to false, so that a refused connection fails a call at
    /// once, and leave its decompression off, so that `.decompress()` finds the encoded body. Set its
    /// `httpVersion` to `.http1Only`: over HTTP/2 AsyncHTTPClient 1.37.0 ends the process if a server answers
    /// an upload early and resets its stream. Only the transport's own clients are protected from that.
    ///
    /// - Parameters:
    ///   - client: The client. The app shuts it down after this transport is no longer used. The client's own
    ///     time limits apply as well.
    ///   - maxBodySize: How many bytes the body of a whole response may have.
    ///   - idleTimeout: How long no byte may arrive or leave, as ``Configuration/idleTimeout``; nil for no
    ///     limit.
    ///   - scheduler: The clock of that limit.
    public convenience init(
        client: HTTPClient, maxBodySize: Int = Configuration.defaultMaxBodySize,
        idleTimeout: Duration? = .seconds(60), on scheduler: some Scheduler = .live
    ) {
        let closed = InternalPromise<Void>()
        let lease = ClientLease(client, ended: closed)
        let limits = TransportExchange.Limits(
            maxBodySize: maxBodySize, maxUnreadBytes: Self.maxUnreadBytes,
            idle: idleTimeout.map { IdleWatches($0, on: scheduler) })
        self.init(lease, closed, limits, scheduler)
    }

    private init(
        _ lease: ClientLease, _ closed: InternalPromise<Void>, _ limits: TransportExchange.Limits,
        _ scheduler: any Scheduler
    ) {
        client = Locked(ClientUse(lease))
        self.closed = closed
        self.limits = limits
        self.scheduler = scheduler
    }

    /// How many bytes of a streamed body may wait for its reader.
    private static let maxUnreadBytes = 256 << 10

    /// Refuses new calls, and closes all connections after the calls under way have ended.
    ///
    /// A transport that is released does the same without cancelling. Calling it twice is harmless.
    ///
    /// - Parameter cancelling: Whether the calls under way are ended now: they reject with
    ///   `CancellationError`. The calls of a transport over an app's own client continue.
    /// - Returns: A future that resolves when everything is closed. The future of ``shared`` rejects with an
    ///   `HTTPError` with the code `unsupported`, and nothing is closed.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        if self === Self.shared { return Future(error: HTTPError(code: .unsupported)) }
        let last = client.withLock { $0.take() }
        if cancelling { last?.lease.cancel() }
        // Not the promise itself: cancelling the future of one call must not settle the futures of the
        // others.
        return closed.map { $0 }
    }

    /// The client, to be kept while a call is under way.
    ///
    /// - Throws: `HTTPError` if the transport is closed.
    func borrowClient() throws -> ClientUse {
        guard let client = client.withLock({ $0 }) else {
            throw HTTPError(code: .transportClosed)
        }
        return client
    }
}

extension AHCTransport: Sendable {}

extension AHCTransport: HTTPTransport {}
#endif

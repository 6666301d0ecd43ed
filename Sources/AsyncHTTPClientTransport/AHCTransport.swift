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
public final class AHCTransport: Sendable, HTTPTransport {
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

extension AHCTransport {
    /// Sends a request and collects the whole response.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the server's response, whatever its status. It rejects with `HTTPRequest.Error`
    ///   if the request cannot be sent, and with an `HTTPError` that has the request and AsyncHTTPClient's
    ///   error if no whole answer arrived; its code is `bodyTooLarge` if the body has more bytes than
    ///   ``Configuration/maxBodySize``. Cancelling it ends the exchange: it closes the connection, or the
    ///   stream of HTTP/2.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        start(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and delivers the body of its response chunk by chunk.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange, its body
    ///   included.
    /// - Returns: A future of the response, which resolves when the headers have arrived. It rejects as
    ///   ``send(_:)`` does. A later failure fails the body with an `HTTPError`. At most 256 KiB and one read
    ///   of the connection are received before the reader asks for them. A body that is given up, and a
    ///   response that is released unread, end the exchange.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        start(request, for: .streamed(promise))
        return promise
    }

    private func start(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let exchange = try TransportExchange(
                request, for: recipient, within: limits, on: scheduler)
            let client = try borrowClient()
            let call = try RequestAttempt(exchange, over: client.lease)
            let control = RequestLifetime(call, keeping: client)
            // Not before it has a connection.
            exchange.expectNothing()
            exchange.watch { control.end(with: $0) }
            call.start(ExchangeDelegate(call, control), control)
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }
}

extension AHCTransport {
    /// The connections and limits of a transport.
    public struct Configuration: Sendable {
        /// The settings of TLS.
        ///
        /// `ConnectionSettings/tls` is the same for every transport. A transport uses the one of the two that
        /// is not the default; if both are set, making the transport fails.
        public var tls = TLS()

        /// The versions of HTTP that may be used.
        ///
        /// HTTP/2 is off if this or `ConnectionSettings/versions` excludes it.
        public var httpVersion = HTTPVersion.automatic

        /// How long it may take to make a connection, including TLS.
        public var connectTimeout: Duration = .seconds(10)

        /// How long a call may wait for one of ``maxConnectionsPerHost`` to be free, before it fails with the
        /// code `timedOut`; nil for no limit.
        ///
        /// Counted separately from ``idleTimeout``, which begins when the call has a connection. Over TLS, if
        /// HTTP/2 may be used, AsyncHTTPClient queues the waiting calls; then the time is rounded up to a
        /// multiple of ``connectTimeout``.
        public var connectionWaitTimeout: Duration? = .seconds(60)

        /// How long no byte may arrive or leave before a call fails with the code `timedOut`; nil for no
        /// limit.
        ///
        /// Counted from when the call has a connection, and again from each piece of a body, in either
        /// direction. It does not count while the reader of a streamed body asks for nothing, nor while the
        /// source of a request's body has no bytes.
        public var idleTimeout: Duration?

        /// How long a connection that is not in use is kept.
        public var keepAlive: Duration = .seconds(60)

        /// How many connections of HTTP/1.1 may be open to one host; more calls wait for one.
        public var maxConnectionsPerHost = 8

        /// How many bytes the fields of a response's head may have, over HTTP/1.1.
        ///
        /// A larger head fails the call with the code `badResponse`. The number of fields is limited as well,
        /// to one for each 32 bytes, but at least 256. A head with its status line and all interim heads may
        /// have twice as many bytes plus 16 KiB.
        public var maxHeadSize = 256 << 10

        /// How many bytes the body of a whole response may have.
        ///
        /// A larger body fails with the code `bodyTooLarge`. A streamed body may have any number of bytes.
        public var maxBodySize: Int

        /// 64 MiB.
        public static let defaultMaxBodySize = 64 << 20

        /// Makes a configuration.
        public init(idleTimeout: Duration? = .seconds(60), maxBodySize: Int = defaultMaxBodySize) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
        }
    }
}

extension AHCTransport.Configuration {
    /// The versions of HTTP that may be used.
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/2 over TLS if the server supports it, HTTP/1.1 otherwise.
        case automatic
        /// HTTP/1.1.
        case http1Only
    }
}

#endif

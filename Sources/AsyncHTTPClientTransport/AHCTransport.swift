#if AsyncHTTPClient
public import AsyncHTTPClient
import NIOSSL
public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText
public import PledgeHTTPTransportKit

/// A transport on AsyncHTTPClient, with HTTP/1.1, HTTP/2 and streaming in both directions.
///
/// ```swift
/// let transport = AHCTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged, and follows no redirect; `.redirect()` does that. If it cannot connect, the call
/// fails at once; `.retry()` tries again. Connections are kept and reused. Over TLS, the transport uses HTTP/2 if the
/// server supports it.
///
/// ## Heads of responses
///
/// A response's fields keep their order. A value that is not UTF-8 is read as ISO-8859-1. But AsyncHTTPClient replaces
/// such bytes with U+FFFD in two cases: over HTTP/2, and with a client of your app.
///
/// Over HTTP/1.1, ``Configuration/maxHeadSize`` limits the size of a head. In two cases, AsyncHTTPClient's own limits
/// apply instead. Over HTTP/2, they are 16 KiB for a head. With a client of your app, they are 80 KiB for each field,
/// and 256 fields.
///
/// ## Silent connections
///
/// If a call runs into a limit of time, and no byte has come from its host for a second or longer, later calls to the
/// host use new connections. The calls on the old connections run on. With a client of your app, the connections stay.
///
/// ## Threads
///
/// Futures settle on an event loop of SwiftNIO, which many connections share. So an observer must not block the event
/// loop; pass long work on to a queue. If a call is refused before anything is sent, its future has settled
/// when the method returns. The source of a request's body is opened and read on another thread, so it may block.
public final class AHCTransport: Sendable, HTTPTransport {
    /// A transport for the whole process, with the default configuration.
    ///
    /// You cannot close it.
    public static let shared = AHCTransport()

    let limits: TransportExchange.Limits
    let scheduler: any FutureScheduler
    let leases: ClientLeases
    /// Keeps the clients running until the transport is closed; each call also keeps its client.
    private let clients: HostPools<ClientUse>

    /// Creates a transport with its own connections.
    ///
    /// It uses the environment's proxy, like ``init(_:connecting:on:)`` does by default. If AsyncHTTPClient cannot use
    /// that proxy, each call fails with the code `unsupported`, and the error says why.
    ///
    /// - Parameters:
    ///   - configuration: The connections and limits.
    ///   - scheduler: The clock of ``Configuration/idleTimeout``, and of ``Configuration/connectionWaitTimeout`` while
    ///     the transport itself queues the calls.
    public convenience init(
        _ configuration: Configuration = Configuration(), on scheduler: some FutureScheduler = .live
    ) {
        self.init(configuration, in: ProcessInfo.processInfo.environment, on: scheduler)
    }

    convenience init(
        _ configuration: Configuration, in environment: [String: String],
        on scheduler: some FutureScheduler
    ) {
        let routes: ConnectionRoutes
        do {
            routes = try ConnectionRoutes(ConnectionSettings(), in: environment)
        } catch {
            routes = .none(error)
        }
        self.init(configuration, routes, scheduler)
    }

    /// Creates a transport with its own connections, which follow the settings.
    ///
    /// ```swift
    /// let transport = try AHCTransport(connecting: settings)
    /// ```
    ///
    /// - **TLS.** All of `TLSSettings` is supported. Files are read now.
    /// - **Proxies.** `http` is supported with or without a user (Basic), and `socks5h` without a user. The
    ///   environment's proxies are `http_proxy` (in lower case only), `https_proxy`, `all_proxy` and `no_proxy`, and
    ///   are read now.
    /// - **Versions.** Automatic and HTTP/1.1 are supported.
    /// - **Unix domain sockets.** Over a socket, no proxy is used. A certificate cannot be compared with a host there,
    ///   so https URLs need `TLSSettings/Verification/authorityOnly`. Otherwise they fail with the code
    ///   `insecureConnection`.
    /// - **Addresses.** One address for each host is supported. Write the host in lower case, as in your URLs.
    ///
    /// - Parameters:
    ///   - configuration: The limits, and how long connections are kept.
    ///   - settings: How connections are made.
    ///   - scheduler: The clock of ``Configuration/idleTimeout``, and of ``Configuration/connectionWaitTimeout`` while
    ///     the transport itself queues the calls.
    /// - Throws: An `UnsupportedSetting` if AsyncHTTPClient cannot apply a setting, or if a file cannot be read.
    public convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        on scheduler: some FutureScheduler = .live
    ) throws(UnsupportedSetting) {
        try self.init(
            configuration, connecting: settings, in: ProcessInfo.processInfo.environment,
            on: scheduler)
    }

    convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        in environment: [String: String], on scheduler: some FutureScheduler = .live
    ) throws(UnsupportedSetting) {
        let routes = try ConnectionRoutes(settings, in: environment)
        let configuration = try configuration.applying(settings)
        self.init(configuration, routes, scheduler)
    }

    private convenience init(
        _ configuration: Configuration, _ routes: ConnectionRoutes, _ scheduler: any FutureScheduler
    ) {
        let leases = ClientLeases()
        let make = { @Sendable in ClientUse(ClientLease(configuration, routes, in: leases)) }
        let clients = HostPools(
            make(), keepAlive: configuration.keepAlive, on: scheduler, making: make)
        let connectionWait = configuration.connectionWaitTimeout
        let limits = TransportExchange.Limits(
            maxBodySize: configuration.maxBodySize, maxUnreadBytes: Self.maxUnreadBytes,
            idle: configuration.idleTimeout.map { IdleWatches($0, on: scheduler) },
            connectionWait: connectionWait.map { IdleWatches($0, on: scheduler) })
        self.init(clients, leases, limits, scheduler)
    }

    /// Creates a transport over a client that your app has.
    ///
    /// Create that client with these settings:
    /// - `redirectConfiguration: .disallow`. Otherwise the client follows redirects itself, and sends credentials
    ///   wherever the redirects lead, as `HTTPClient.shared` does.
    /// - `connectionPool.retryConnectionEstablishment` false, so that a refused connection fails a call at once.
    /// - No decompression, so that `.decompress()` finds the encoded body.
    /// - `httpVersion` `.http1Only`. Over HTTP/2, AsyncHTTPClient 1.37.0 ends the process if a server answers an upload
    ///   early and then resets its stream. Only the transport's own clients are protected from that.
    ///
    /// - Parameters:
    ///   - client: The client. Shut it down after you no longer use this transport. The client's own time limits apply
    ///     too.
    ///   - maxBodySize: The largest body of a whole response, in bytes.
    ///   - idleTimeout: The longest time without a byte, as in ``Configuration/idleTimeout``; nil for no limit.
    ///   - scheduler: The clock of that limit.
    public convenience init(
        client: HTTPClient, maxBodySize: Int = Configuration.defaultMaxBodySize,
        idleTimeout: Duration? = .seconds(60), on scheduler: some FutureScheduler = .live
    ) {
        let leases = ClientLeases()
        let clients = HostPools(
            ClientUse(ClientLease(client, in: leases)), keepAlive: .zero, on: scheduler, making: nil
        )
        let limits = TransportExchange.Limits(
            maxBodySize: maxBodySize, maxUnreadBytes: Self.maxUnreadBytes,
            idle: idleTimeout.map { IdleWatches($0, on: scheduler) })
        self.init(clients, leases, limits, scheduler)
    }

    private init(
        _ clients: HostPools<ClientUse>, _ leases: ClientLeases,
        _ limits: TransportExchange.Limits, _ scheduler: any FutureScheduler
    ) {
        self.clients = clients
        self.leases = leases
        self.limits = limits
        self.scheduler = scheduler
    }

    /// The most bytes of a streamed body that wait for the reader.
    private static let maxUnreadBytes = 256 << 10

    /// Refuses new calls, and closes all connections after the running calls have ended.
    ///
    /// You can call it twice. If you release the transport, it does the same, without cancelling calls.
    ///
    /// - Parameter cancelling: True to end the running calls now. They fail with `CancellationError`. Over your app's
    ///   own client, running calls continue.
    /// - Returns: A future that resolves when everything is closed. For ``shared``, nothing is closed, and the future
    ///   fails with an `HTTPError` with the code `unsupported`.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        if self === Self.shared { return Future(error: HTTPError(code: .unsupported)) }
        clients.close()
        if cancelling { leases.cancel() }
        // A new future each time, so that cancelling one doesn't settle the others.
        return leases.ended.map { $0 }
    }

    /// The client for a host, which the call keeps until it ends, and the connections to the host.
    ///
    /// - Parameter host: The URL's scheme, host and port.
    /// - Throws: `HTTPError` if the transport is closed.
    func borrowClient(
        for host: String
    ) throws -> (pool: ClientUse, connections: HostConnections?) { try clients.beginUse(of: host) }
}

extension AHCTransport {
    /// Sends a request and collects the whole response.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the server's response, whatever its status. It fails with `Endpoint.Error` if the
    ///   request cannot be sent. It fails with `HTTPError` if no whole answer arrived; the error has the request and
    ///   AsyncHTTPClient's error. Its code is `bodyTooLarge` if the body is larger than ``Configuration/maxBodySize``.
    ///   Cancelling the future ends the exchange, and closes the connection or the HTTP/2 stream.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        start(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and delivers the body of its response chunk by chunk.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange, including
    ///   its body.
    /// - Returns: A future of the response, which resolves when the headers have arrived. It fails with the same errors
    ///   as for ``send(_:)``. A later failure fails the body with an `HTTPError`. Before the reader asks for bytes, the
    ///   transport receives at most 256 KiB plus one read of the connection. The exchange ends if you cancel the body,
    ///   or release the response unread.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        start(request, for: .streamed(promise))
        return promise
    }

    private func start(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let exchange = try TransportExchange(
                request, for: recipient, within: limits, on: scheduler)
            let host = AbsoluteURL.schemeAndAuthority(of: request.url)
            let (client, connections) = try borrowClient(for: host)
            exchange.use(connections)
            let call = try RequestAttempt(exchange, to: host, over: client.lease)
            let control = RequestLifetime(call, keeping: client)
            // The idle timeout starts when the call has a connection.
            exchange.expectNothing()
            exchange.watch { control.endCall(with: $0) }
            call.start(ExchangeDelegate(call, control), control)
        } catch {
            recipient.fail(with: error.withRequest(request))
        }
    }
}

extension AHCTransport {
    /// The connections and limits of a transport.
    public struct Configuration: Sendable {
        /// TLS in SwiftNIO's terms.
        var tls = TLSConfiguration(verification: .full, minimumVersion: .tls12)
        /// False to allow only HTTP/1.1.
        var allowsHTTP2 = true

        /// The longest time to connect, including TLS.
        public var connectTimeout: Duration = .seconds(10)

        /// The longest time that a call waits for a connection, while all are busy; nil for no limit.
        ///
        /// A host has ``maxConnectionsPerHost`` connections. After the time, the call fails with the code `timedOut`.
        /// This time doesn't count toward ``idleTimeout``, which starts when the call has a connection. Over TLS, if
        /// HTTP/2 is allowed, AsyncHTTPClient queues the waiting calls. Then the time is rounded up to a multiple of
        /// ``connectTimeout``.
        public var connectionWaitTimeout: Duration? = .seconds(10)

        /// The longest time without a byte in either direction; nil for no limit.
        ///
        /// After that time, the call fails with the code `timedOut`. The time starts when the call has a connection,
        /// and again with each piece of a body. It does not run while the reader of a streamed body asks for nothing,
        /// or while the source of a request's body has no bytes.
        public var idleTimeout: Duration?

        /// The longest time that an unused connection is kept.
        public var keepAlive: Duration = .seconds(60)

        /// The largest number of open HTTP/1.1 connections to one host.
        ///
        /// Further calls wait for a free connection. If connections have gone silent, a host can have more for a while;
        /// see ``AHCTransport``.
        public var maxConnectionsPerHost = 8

        /// The largest size of the fields in a response's head, in bytes, over HTTP/1.1.
        ///
        /// A larger head fails the call with the code `badResponse`. The number of fields is limited too: to 256, or to
        /// one for each 32 bytes of this size if that is more. The whole head, with its status line and all interim
        /// heads, may have twice as many bytes plus 16 KiB.
        public var maxHeadSize = 256 << 10

        /// The largest body of a whole response, in bytes.
        ///
        /// A larger body fails the call with the code `bodyTooLarge`. A streamed body may have any size.
        public var maxBodySize: Int

        /// The default of ``maxBodySize``: 64 MiB.
        public static let defaultMaxBodySize = 64 << 20

        /// Creates a configuration with the default connections.
        public init(idleTimeout: Duration? = .seconds(60), maxBodySize: Int = defaultMaxBodySize) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
        }
    }
}

#endif

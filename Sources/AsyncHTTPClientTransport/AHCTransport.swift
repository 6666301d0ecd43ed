#if AsyncHTTPClient
public import AsyncHTTPClient
public import Futures
public import HTTPNetworking

/// AsyncHTTPClient as a transport: HTTP/1.1 and HTTP/2, streamed both ways.
///
/// ```swift
/// let transport = AHCTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends what it is given and follows no redirect: `.redirect()` does that. A connection that
/// cannot be made fails the call at once: `.retry()` tries again. Connections are kept and used again;
/// over TLS, HTTP/2 is spoken where the server does.
///
/// ## What comes
///
/// The fields of a response come in their order. A value that is not UTF-8 is read as ISO-8859-1; over HTTP/2, and over
/// a client of the app's, AsyncHTTPClient makes U+FFFD of such bytes. How large a head may be says
/// ``Configuration/maxHeadSize`` over HTTP/1.1; over HTTP/2 and over a client of the app's, AsyncHTTPClient has bounds
/// of its own: 16 KiB there, 80 KiB for a field and 256 fields here.
///
/// ## Threads
///
/// Futures settle on an event loop of SwiftNIO's, which many connections share: their observers
/// must not block, and pass long work on with `observe(on:)`. A call that is refused before
/// anything is sent has settled when the method returns. The source of a request's body is opened,
/// and asked for chunks, on another thread, so it may block.
public final class AHCTransport {
    /// A transport with the default configuration, for the whole process.
    ///
    /// It cannot be closed.
    public static let shared = AHCTransport()

    let maxBodySize: Int
    private let closed: InternalPromise<Void>
    /// Nil when the transport is closed; each call keeps it until it ends.
    private let lease: Locked<ClientLease?>

    /// Makes a transport with connections of its own.
    ///
    /// It goes by the proxy that the environment names, as ``init(_:connecting:on:)`` does by default. Where it
    /// can ask none such, each call fails with the code `unsupported`, and the error says why.
    ///
    /// - Parameters:
    ///   - configuration: How it connects, and how much it keeps.
    ///   - scheduler: Whose time ``Configuration/idleTimeout`` is counted in.
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

    /// Makes a transport with connections of its own, which are made as settings say.
    ///
    /// ```swift
    /// let transport = try AHCTransport(connecting: settings)
    /// ```
    ///
    /// - **TLS.** Each of `TLSSettings` holds; files are read now. ``Configuration/tls`` is the same in
    ///   AsyncHTTPClient's own terms: one of the two is left as it is.
    /// - **Proxies.** `http` with or without a user (Basic), and `socks5h` without one. The environment's are `http_proxy` (in lower case only), `https_proxy`, `all_proxy` and
    ///   `no_proxy`, read now.
    /// - **Versions.** Automatic, or HTTP/1.1.
    /// - **Unix domain sockets.** By one, no proxy is asked. A certificate cannot be compared with a host there:
    ///   https URLs need `TLSSettings/Verification/authorityOnly`, and fail with the code
    ///   `insecureConnection` otherwise.
    /// - **Addresses.** One for each host, in lower case as it stands in URLs.
    ///
    /// - Parameters:
    ///   - configuration: How much it keeps, and for how long.
    ///   - settings: How connections are made.
    ///   - scheduler: Whose time ``Configuration/idleTimeout`` is counted in.
    /// - Throws: An `UnsupportedSetting` where AsyncHTTPClient cannot keep a setting, or a file cannot be read.
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
        let lease = ClientLease(configuration, routes, scheduler, ended: closed)
        self.init(lease, closed, maxBodySize: configuration.maxBodySize)
    }

    /// Makes a transport over a client that the app has already.
    ///
    /// Make that client with `redirectConfiguration: .disallow`, or it follows redirects itself and
    /// takes credentials to wherever they lead, as `HTTPClient.shared` does. It needs
    /// `connectionPool.retryConnectionEstablishment` to be false for a refused connection to fail a
    /// call at once, and no decompression for `.decompress()` to find what it expects.
    ///
    /// - Parameters:
    ///   - client: The client. The app shuts it down, once this transport is not used any more. Its
    ///     own limits of time hold as well.
    ///   - maxBodySize: How many bytes the body of a whole response may have.
    ///   - idleTimeout: How long nothing may come or go, as ``Configuration/idleTimeout``; nil forever.
    ///   - scheduler: Whose time that is counted in.
    public convenience init(
        client: HTTPClient, maxBodySize: Int = Configuration.defaultMaxBodySize,
        idleTimeout: Duration? = .seconds(60), on scheduler: some Scheduler = .live
    ) {
        let closed = InternalPromise<Void>()
        let lease = ClientLease(client, idleTimeout: idleTimeout, scheduler, ended: closed)
        self.init(lease, closed, maxBodySize: maxBodySize)
    }

    private init(_ lease: ClientLease, _ closed: InternalPromise<Void>, maxBodySize: Int) {
        self.lease = Locked(lease)
        self.closed = closed
        self.maxBodySize = maxBodySize
    }

    /// Refuses new calls, and lets go of all connections when the calls under way have ended.
    ///
    /// A transport that is released closes itself so. Harmless twice.
    ///
    /// - Parameter cancelling: Whether the calls under way are ended now: they reject with
    ///   `CancellationError`. Of a transport over an app's own client they go on.
    /// - Returns: A future that resolves when all is closed. That of ``shared`` rejects with an
    ///   `HTTPError` with the code `unsupported`, and nothing is closed.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        if self === Self.shared { return Future(error: HTTPError(code: .unsupported)) }
        let last = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        if cancelling { last?.cancel() }
        // Not the promise itself: cancelling the future of one call must not settle the others'.
        return closed.map { $0 }
    }

    /// The client, to be kept while a call is under way; nil where the transport is closed.
    func borrowClient() -> ClientLease? { lease.withLock { $0 } }
}

extension AHCTransport: Sendable {}

extension AHCTransport: HTTPTransport {}
#endif

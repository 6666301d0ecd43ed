public import Dispatch
public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
import PledgeServices

/// A transport on the system's libcurl, with HTTP/1.1, HTTP/2 and streaming in both directions.
///
/// ```swift
/// let transport = CurlTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged, and returns each response whatever its status. libcurl's own redirects, cookies,
/// passwords and decompression are off. Middleware does these things, in the same way over every transport. A user and
/// a password in the URL are not sent.
///
/// The first transport looks for libcurl at run time; so a system without it can still start your program. If there is none, each call fails with the
/// code `unsupported`, and the error says what to install.
///
/// - **Bodies.** Bodies are streamed in both directions in constant memory. A slow reader slows down the server, and a
///   slow source slows down the upload. A file or a stream is read while it is sent.
/// - **Repetition.** A server may close a kept connection just when the transport reuses it, or end a connection with
///   an HTTP/2 GOAWAY. If no part of an answer has arrived by then, the transport sends a request again if the request
///   is idempotent, if it has an idempotency key, or if libcurl reports that the server has excluded it. All other
///   requests fail with `HTTPError.Code.connectionLost`.
/// - **Fields.** A response's values keep their bytes, except that CR and NUL become spaces (RFC 9110, section 5.5). So
///   an entity tag or a cookie goes back to the server with the bytes that arrived. A value's text is read as UTF-8, or
///   as ISO-8859-1 if it is not UTF-8. A line whose name is not a token, such as `X-A : 1`, is dropped.
/// - **Versions.** Over TLS, the transport uses HTTP/2 if the server supports it. It uses HTTP/1.1 for three kinds of
///   request, because libcurl would break a promise over HTTP/2:
///   - a request whose response is streamed: libcurl would receive megabytes before you read them;
///   - a request with a body, before libcurl 8.11.1: libcurl discards an answer that arrives before the server has read
///     the body;
///   - a request that must not be sent twice, before libcurl 8.19: libcurl doesn't say whether the server has excluded
///     the request.
///
///   `ConnectionSettings.Versions.http2` sends every request over HTTP/2.
/// - **Threads.** One I/O thread of the transport performs all transfers. It runs none of your app's code, except with
///   ``Delivery/inline``. Futures settle where the ``Delivery`` says.
/// - **The end.** Cancelling a future ends its call, and closes the connection unless the whole answer has arrived. If
///   you release the transport, its calls still run to their end; ``close()`` ends them at once.
public final class CurlTransport: Sendable, HTTPTransport {
    private let engine: Result<CurlEngine, HTTPError>

    /// Creates a transport with the default settings.
    public convenience init() {
        do {
            try self.init(Configuration(), on: LiveScheduler.shared)
        } catch {
            self.init(unusable: error)
        }
    }

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the transport.
    ///   - settings: How connections are made.
    ///   - delivery: Where futures settle.
    ///   - scheduler: The clock of all limits except `connectTimeout`.
    /// - Throws: An `UnsupportedSetting` if this machine's libcurl cannot apply a setting.
    public convenience init(
        _ configuration: Configuration = Configuration(),
        connecting settings: ConnectionSettings = ConnectionSettings(),
        delivery: Delivery = .concurrent, on scheduler: some FutureScheduler = .live
    ) throws(UnsupportedSetting) {
        let configuration = configuration.checked()
        let library: CurlLibrary
        do {
            library = try CurlLibrary.lookUp()
        } catch {
            self.init(unusable: error)
            return
        }
        let options = try CurlOptions(configuration, settings, library, on: scheduler)
        self.init(options, delivery)
    }

    private init(_ options: CurlOptions, _ delivery: Delivery) {
        do throws(HTTPError) {
            engine = .success(try CurlEngine(options, delivery: ResultDelivery(delivery)))
        } catch {
            engine = .failure(error)
        }
    }

    private init(unusable error: any Error) {
        engine = .failure(HTTPError(code: .unsupported, cause: error))
    }

    deinit { _ = try? engine.get().submit(.drain) }

    /// Sends a request and collects the whole response.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the server's response, whatever its status. It fails with
    ///   - `Endpoint.Error` if the request cannot be sent; then nothing is sent;
    ///   - `HTTPError` if no whole answer arrived. The error has the request, the part of the response that arrived (no
    ///     part of a body that is too large), and usually libcurl's words as its cause. Its code is
    ///     `HTTPError.Code.bodyTooLarge` if the body is larger than `maxBodySize`,
    ///     `HTTPError.Code.timedOut` if a time limit has passed, which the error names,
    ///     `HTTPError.Code.transportClosed` if ``close()`` has ended the call, and `HTTPError.Code.unsupported` if the
    ///     machine has no libcurl;
    ///   - `CancellationError` if the call was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        start(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and returns a future that resolves when the response's headers have arrived.
    ///
    /// Requests and errors are the same as for ``send(_:)``. A failure after the headers fails the body. If you release
    /// or cancel a body before its end, the call ends. A call has its own connection until its body has ended, unless
    /// the settings make every request use HTTP/2.
    ///
    /// - Parameter request: The request.
    /// - Returns: A future of the response, whose body is still arriving.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        start(request, for: .streamed(promise))
        return promise
    }

    /// Ends the running calls, which fail with the code `transportClosed`, and refuses new ones.
    ///
    /// All connections are closed, and the I/O thread ends. You can call it twice.
    ///
    /// - Returns: A future that resolves when all calls and the thread have ended.
    @discardableResult
    public func close() -> Future<Void> {
        guard case .success(let engine) = engine else { return Future(value: ()) }
        engine.submit(.close)
        // A new future each time, so that cancelling one doesn't settle the others.
        return engine.ended.map { $0 }
    }

    private func start(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let engine = try engine.get()
            let exchange = try TransportExchange(
                request, for: recipient, within: engine.limits, on: engine.scheduler)
            let handle = try engine.handles.takeHandle(
                for: request, isStreamed: exchange.isStreamed)
            guard engine.submit(.start(exchange, handle)) else {
                engine.handles.giveBack(handle)
                throw HTTPError(code: .transportClosed)
            }
            exchange.watch { engine.submit(.end(exchange, $0)) }
        } catch {
            recipient.fail(with: error.withRequest(request))
        }
    }
}

extension CurlTransport {
    /// The limits of a transport.
    public struct Configuration: Hashable, Sendable {
        package var connectTimeout: Duration
        package var connectionWaitTimeout: Duration?
        package var idleTimeout: Duration?
        package var maxBodySize: Int
        package var maxHeadSize: Int
        package var maxUnreadBytes: Int
        package var maxConnectionsPerHost: Int
        package var countsSilentConnections: Bool
        package var maxConnections: Int?
        package var keepAlive: Duration

        /// False if the kernel can't say when a connection's last byte arrived.
        var asksKernel = true

        /// Creates limits.
        ///
        /// It is a programming error if `maxConnectionsPerHost`, `maxConnections`, `maxHeadSize` or `maxUnreadBytes` is
        /// below one, or if `maxBodySize` or `idleTimeout` is below zero. Creating a transport then traps.
        ///
        /// - Parameters:
        ///   - connectTimeout: The longest time to connect, including name look-up and TLS. After that time, the call
        ///     fails with `HTTPError.Code.timedOut`. libcurl measures it, in real time.
        ///   - connectionWaitTimeout: The longest time that a call waits while all connections are busy; nil for no
        ///     limit. After that time, the call fails with `HTTPError.Code.timedOut`. The wait does not count toward
        ///     `idleTimeout`.
        ///   - idleTimeout: The longest time without a byte in either direction; nil for no limit. After that time,
        ///     the call fails with `HTTPError.Code.timedOut`. Each piece of a body starts the time again. The time
        ///     does not run while the reader or the source of a body pauses.
        ///   - maxBodySize: The largest body of a whole response, in bytes. A larger body fails the call with
        ///     `HTTPError.Code.bodyTooLarge`.
        ///   - maxHeadSize: The largest head of a response, in bytes, including interim responses and trailers. A
        ///     larger head fails the call with `HTTPError.Code.badResponse`.
        ///   - maxUnreadBytes: The number of unread bytes of a streamed response at which the transport stops
        ///     receiving. This limit applies over HTTP/1.1. With `ConnectionSettings.Versions.http2` and `.http3`,
        ///     libcurl uses a larger window for each stream: 32 MiB in 7.88, 10 MiB in 8.x.
        ///   - maxConnectionsPerHost: The largest number of open connections to one host; see also
        ///     `countsSilentConnections`. Further calls wait for a free connection.
        ///   - countsSilentConnections: True if connections on which a server says nothing count towards
        ///     `maxConnectionsPerHost`. By default, a connection no longer counts if no byte comes on it for twice as
        ///     long as the host's first bytes usually take (at least 50 ms, at most a second) while other calls wait
        ///     for a connection. So calls that hang don't keep those that would be answered at once. A connection
        ///     with a streamed response always counts. At most half of the files that the process may have open are
        ///     connections that don't count. Set true for a server that can't have more connections.
        ///   - maxConnections: The largest number of open connections in total; nil for no limit.
        ///   - keepAlive: The longest time that an unused connection is kept.
        public init(
            connectTimeout: Duration = .seconds(10),
            connectionWaitTimeout: Duration? = .seconds(10),
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxHeadSize: Int = 256 << 10, maxUnreadBytes: Int = 1 << 20,
            maxConnectionsPerHost: Int = 8, countsSilentConnections: Bool = false,
            maxConnections: Int? = nil, keepAlive: Duration = .seconds(60)
        ) {
            self.connectTimeout = connectTimeout
            self.connectionWaitTimeout = connectionWaitTimeout
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxHeadSize = maxHeadSize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.countsSilentConnections = countsSilentConnections
            self.maxConnections = maxConnections
            self.keepAlive = keepAlive
        }

        /// Traps if a limit is out of range.
        func checked() -> Self {
            precondition(
                maxConnectionsPerHost > 0, "at least 1 connection, not \(maxConnectionsPerHost)")
            precondition(maxConnections ?? 1 > 0, "at least 1 connection in all")
            precondition(maxUnreadBytes > 0, "room for at least 1 byte, not \(maxUnreadBytes)")
            precondition(maxHeadSize > 0, "room for at least 1 byte, not \(maxHeadSize)")
            precondition(maxBodySize >= 0, "a size is zero or more")
            precondition(idleTimeout ?? .zero >= .zero, "a time is zero or more")
            return self
        }
    }

    /// The place where futures settle.
    public enum Delivery: Sendable {
        /// On Dispatch's threads, several at a time.
        ///
        /// An observer may block, because it delays no other call.
        case concurrent
        /// On a queue, in the order of the responses' arrival.
        case serial(DispatchQueue)
        /// On the transport's I/O thread, without a change of thread.
        ///
        /// An observer that blocks delays every call of the transport.
        case inline
    }
}

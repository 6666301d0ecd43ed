public import Dispatch
public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

/// The system's libcurl as a transport: HTTP/1.1 and HTTP/2, streamed both ways.
///
/// ```swift
/// let transport = CurlTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged and returns each response, whatever its status. libcurl's own redirects,
/// cookies, passwords and decompression are off: middleware does these things, in the same way over every
/// transport. A user and a password in the URL are not sent.
///
/// libcurl is looked up when the first transport is made; see ``CurlLibrary``. If there is none, each call
/// fails with the code `unsupported`, and the error says what to install.
///
/// - **Bodies.** They are streamed in both directions in constant memory: a slow reader slows down the
///   server, a slow source the sending. A file and a stream are read while they are sent.
/// - **Repetition.** If the server closes a connection at the moment at which it is used again, or ends it by a
///   GOAWAY of HTTP/2, before any part of an answer has arrived, a request that is idempotent or has an
///   idempotency key is sent again; so is any other that the server has excluded, as far as libcurl says.
///   What is left fails with `HTTPError.Code.connectionLost`.
/// - **Fields.** A response's fields keep their bytes: one that goes back to the server, such as an entity
///   tag or a cookie, has the bytes that came. The text of a value is UTF-8, or ISO-8859-1 if it is not. CR
///   and NUL in a value become spaces (RFC 9110, section 5.5). A line whose name is no token, such as
///   `X-A : 1`, is dropped.
/// - **Versions.** Over TLS, HTTP/2 if the server supports it. Where libcurl would break a promise over HTTP/2,
///   a request goes by HTTP/1.1: one whose response is streamed, of which libcurl would take megabytes that
///   nobody reads; one with a body before libcurl 8.11.1, which discards an answer that the server gives before
///   it has read the body; and one that may not be sent twice before 8.19, which does not say whether the server
///   has excluded it. `ConnectionSettings.Versions.http2` sends every request by HTTP/2.
/// - **Threads.** One thread of the transport makes all calls to libcurl. It runs no function of the app,
///   except with ``Delivery/inline``. Futures settle where the ``Delivery`` says.
/// - **The end.** Cancelling a future ends its call, and closes the connection if its answer has not arrived
///   completely. A transport that is released lets its calls finish; ``close()`` ends them.
public final class CurlTransport: Sendable, HTTPTransport {
    private let engine: Result<CurlEngine, HTTPError>

    /// Makes a transport with the default settings.
    public convenience init() {
        do {
            try self.init(Configuration(), on: LiveScheduler.shared)
        } catch {
            self.init(unusable: error)
        }
    }

    /// Makes a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - settings: How connections are made.
    ///   - delivery: Where futures settle.
    ///   - scheduler: The clock of the limits, except that of the time to connect.
    /// - Throws: An `UnsupportedSetting` if this machine's libcurl cannot apply a setting.
    public convenience init(
        _ configuration: Configuration = Configuration(),
        connecting settings: ConnectionSettings = ConnectionSettings(),
        delivery: Delivery = .concurrent, on scheduler: some Scheduler = .live
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
    /// - Returns: A future of the server's response, whatever its status. It rejects with
    ///   - `HTTPRequest.Error` if the request cannot be sent; nothing is sent;
    ///   - `HTTPError` if no whole answer arrived, with the request, the part of the response that arrived
    ///     (nothing of a body that is too large), and usually libcurl's error, a ``CurlError``, as its cause.
    ///     Among its codes, `HTTPError.Code.bodyTooLarge` means more than ``Configuration/maxBodySize``,
    ///     `HTTPError.Code.timedOut` one of the time limits, which the error names,
    ///     `HTTPError.Code.transportClosed` a call that ``close()`` has ended, `HTTPError.Code.unsupported` a
    ///     machine without libcurl;
    ///   - `CancellationError` if it was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        start(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and returns a future of the response that resolves when its headers have arrived.
    ///
    /// The description of requests and errors at ``send(_:)`` applies here too; a failure after the headers
    /// fails the body. A body that is released or cancelled before its end ends the call. Until then the call
    /// has a connection of its own, unless every request goes by HTTP/2.
    ///
    /// - Parameter request: The request.
    /// - Returns: A future of the response, whose body is still arriving.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        start(request, for: .streamed(promise))
        return promise
    }

    /// Ends the calls under way, which reject with the code `transportClosed`, and refuses new ones.
    ///
    /// All connections are closed, and the thread ends. Calling it twice is harmless.
    ///
    /// - Returns: A future that resolves when all calls and the thread have ended.
    @discardableResult
    public func close() -> Future<Void> {
        guard case .success(let engine) = engine else { return Future(value: ()) }
        engine.submit(.close)
        // Not the promise itself: cancelling the future of one call must not settle the futures of the
        // others.
        return engine.ended.map { $0 }
    }

    private func start(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let engine = try engine.get()
            let exchange = try TransportExchange(
                request, for: recipient, within: engine.limits, on: engine.scheduler)
            let handle = try engine.handles.take(for: request, isStreamed: exchange.isStreamed)
            guard engine.submit(.start(exchange, handle)) else {
                engine.handles.giveBack(handle)
                throw HTTPError(code: .transportClosed)
            }
            exchange.watch { engine.submit(.end(exchange, $0)) }
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }
}

extension CurlTransport {
    /// The limits of a transport.
    public struct Configuration: Hashable, Sendable {
        /// How long it may take to make a connection, including name look-up and TLS.
        ///
        /// After that the call fails with `HTTPError.Code.timedOut`. libcurl measures it, in real time.
        public var connectTimeout: Duration

        /// How long a call may wait while the maximum number of connections is busy; nil for no limit.
        ///
        /// After that it fails with `HTTPError.Code.timedOut`. ``idleTimeout`` does not count meanwhile.
        public var connectionWaitTimeout: Duration?

        /// How long no byte may arrive or leave before a call fails with `HTTPError.Code.timedOut`; nil for
        /// no limit.
        ///
        /// Counted again from each piece of a body, in either direction. It does not count while the reader
        /// of a body, or the source of one, pauses.
        public var idleTimeout: Duration?

        /// How many bytes the body of a whole response may have; a larger body fails the call with
        /// `HTTPError.Code.bodyTooLarge`.
        public var maxBodySize: Int

        /// How many bytes the head of a response may have, including interim responses and trailers; a larger
        /// head fails the call with `HTTPError.Code.badResponse`.
        public var maxHeadSize: Int

        /// How many bytes of a streamed response's body may wait for its reader before no more is received.
        ///
        /// It holds over HTTP/1.1. With `ConnectionSettings.Versions.http2` and `.http3` libcurl has a window for
        /// each stream, which is larger: 32 MiB in 7.88, 10 MiB in 8.x.
        public var maxUnreadBytes: Int

        /// How many connections to one host may be open at once; further calls wait for a free one.
        public var maxConnectionsPerHost: Int

        /// How many connections may be open at once in total; nil for no limit.
        public var maxConnections: Int?

        /// How long a connection is kept for the next call.
        public var keepAlive: Duration

        /// Makes limits.
        ///
        /// Numbers below one, and sizes below zero, are programming errors and trap when a transport is made.
        public init(
            connectTimeout: Duration = .seconds(10),
            connectionWaitTimeout: Duration? = .seconds(60),
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxHeadSize: Int = 128 << 10, maxUnreadBytes: Int = 1 << 20,
            maxConnectionsPerHost: Int = 8, maxConnections: Int? = nil,
            keepAlive: Duration = .seconds(60)
        ) {
            self.connectTimeout = connectTimeout
            self.connectionWaitTimeout = connectionWaitTimeout
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxHeadSize = maxHeadSize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxConnections = maxConnections
            self.keepAlive = keepAlive
        }

        /// The same limits; traps if one is out of range.
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

    /// Where futures settle.
    public enum Delivery: Sendable {
        /// On Dispatch's threads, several at a time. An observer may block: it delays no other call.
        case concurrent
        /// On a queue, in the order in which the responses arrived.
        case serial(DispatchQueue)
        /// On the transport's I/O thread, without a change of thread. An observer that blocks delays every
        /// call of the transport.
        case inline
    }
}

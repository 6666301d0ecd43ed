public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
import PledgeServices

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on its own URLSession, or on a session that your app has.
///
/// ```swift
/// let transport = SessionTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged, and returns each response whatever its status. It follows no redirects. On its own
/// session, it asks for no password, stores none, caches nothing and keeps no cookies. Middleware does these things, in
/// the same way over every transport.
///
/// - **Headers.** The transport sends the request's headers, and joins repeated ones with ", ". It refuses headers
///   about the connection; see `HTTPRequest.validate()`. URLSession adds Accept, Accept-Encoding, Accept-Language,
///   Connection and User-Agent if the request doesn't have them. A user and a password in the URL are not sent, even on
///   your app's session.
/// - **Bodies.** A body in memory and a file are sent as they are; a file is read while it is sent. A stream is first
///   read to its end, and then sent with its length. If it is longer than 1 MiB, it is read into a temporary file.
/// - **Codings.** URLSession decodes gzip, deflate and, depending on the system, br and zstd. A decoded response has no
///   Content-Encoding and no Content-Length, because they describe the encoded bytes. Limits count decoded bytes. On
///   Apple platforms, a body in another coding arrives as it was sent, with its Content-Encoding.
/// - **Time.** `idleTimeout` and the call's deadline are exact to a fraction of a second.
/// - **Repetition.** A server may close a kept connection just when the transport reuses it. If no part of an answer
///   has arrived by then, the transport sends a request again if the request is idempotent or has an idempotency key.
///   Any other request with a body fails with `HTTPError.Code.connectionLost`.
/// - **Silent connections.** If a call runs into a limit of time, and no byte has come from its host for a second or
///   longer, later calls to the host use another session, with new connections. The calls on the old connections run
///   on. Your app's session is never replaced.
/// - **Threads.** Futures settle on a serial queue of the transport. If a call runs out of time, its future settles on
///   the scheduler's thread. An observer that blocks the queue delays the other calls of the transport.
/// - **The end.** Cancelling a future cancels its task, on another thread. If you release the transport, its calls
///   still run to their end; ``close(cancelling:)`` can cancel them.
///
/// ## What cannot be mended on Linux
///
/// These limits come from FoundationNetworking, below this transport. Any server that you don't run yourself may do
/// what the list describes. For such servers, use `CurlTransport` from the module `PledgeLibcurlTransport`, or
/// `AHCTransport`. Both read the same answers without harm.
///
/// - A `Content-Length` from 9223372036854775296 (2⁶³ − 512) up to 2⁶³ − 1 ends the process.
/// - A chunked response with a trailer ends the process.
/// - A connection that closes in the middle of a response's head ends the process. So does a head with a NUL, or with a
///   line that begins with a CR. (If the connection is reset, the call fails with `HTTPError.Code.connectionLost`.)
/// - A response fails with `badResponse` if its first line ends after the status without a space, or if its head has a
///   byte that is not UTF-8 or a line whose name is not a token.
/// - Repeated Set-Cookie fields are joined with commas. `a=1, b=2` may be two cookies, or one with a comma in its
///   value, so neither is returned. If there is an attribute, as in `a=1; Path=/, b=2`, both are returned.
/// - If a server sends a second answer unasked after the first has been read, the next call on the connection gets it.
/// - Only libcurl's limit of 300 KiB applies to heads. A decoded body and a streamed body are limited only by how much
///   of them you read. If a few bytes decode to very many, decoding them takes time before a limit applies.
/// - A redirect (301, 302, 303, 305 to 308) whose Location is missing or not a URL arrives with its headers but without
///   its body. If a redirect has a Location, the limit on its body applies only after all of it has arrived. Until
///   then, the exchange counts as idle.
/// - A POST without a body is sent again, like a GET, if the server closed a reused connection. So is a POST with a
///   body if none of the body had been sent yet. libcurl does that by itself.
/// - There is no backpressure. If you read a streamed body slowly, the bytes beyond `maxUnreadBytes` go
///   through a temporary file.
/// - The code of a failure comes from libcurl's message. An unknown message becomes `HTTPError.Code.other`.
/// - If field names differ only in case, only the last field is kept. The order of fields is lost.
/// - All sessions of a process do their work on one shared queue; only waiting for callers happens elsewhere.
/// - A response fails if the system's libcurl doesn't support its coding, even if `.decompress(upTo:)` could decode it.
///   URLSession makes libcurl decode every coding, and on some systems libcurl has no zstd.
/// - There are no client certificates and no pinned keys, and the only proxies are those that libcurl takes from the
///   environment. ``init(_:connecting:on:)`` refuses settings that URLSession cannot apply.
/// - An IPv6 address as a host is passed to URLSession percent-encoded, because URLSession refuses the plain form. A
///   libcurl before 7.80 refuses the encoded form too (`HTTPError.Code.other`).
public final class SessionTransport: Sendable, HTTPTransport {
    let sessions: SessionPools
    /// The app's session, kept alive; nil if the app hasn't given one.
    private let appSession: URLSession?
    /// Why every call is refused; nil if calls are accepted.
    private let refusal: String?

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the transport.
    ///   - scheduler: The clock of the limits.
    ///   - adjust: Changes further settings of URLSession, such as the TLS versions on Apple platforms. It is called
    ///     once. Afterwards, the transport sets what it relies on: no cache, no cookies, no credentials, and the
    ///     longest time limits.
    public convenience init(
        _ configuration: Configuration = Configuration(),
        on scheduler: some FutureScheduler = .live,
        adjusting adjust: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        self.init(configuration, scheduler, SessionConnecting(), adjust)
    }

    private init(
        _ configuration: Configuration, _ scheduler: some FutureScheduler,
        _ connecting: SessionConnecting, _ adjust: (URLSessionConfiguration) -> Void
    ) {
        let session = configuration.ofSession(adjust)
        let first = SessionTaskDelegate(configuration.checked(), scheduler, connecting: connecting)
        first.open(session)
        sessions = SessionPools(first, session)
        appSession = nil
        refusal = nil
    }

    /// Creates a transport with its own session, whose connections follow the settings.
    ///
    /// ```swift
    /// let transport = try SessionTransport(connecting: settings)
    /// ```
    ///
    /// On Linux, only the defaults are supported: the system's authorities, full verification, HTTP/2 over TLS if the
    /// server supports it, and the environment's proxy. libcurl reads `http_proxy` (in lower case only), `https_proxy`,
    /// `all_proxy` and `no_proxy` at each call. `ProxySettings/none` is supported if the environment names no proxy
    /// when you create the transport.
    ///
    /// On Apple platforms, these settings are supported: all of `TLSSettings` (a client certificate only from a PKCS#12
    /// file), `ConnectionSettings/Versions/http3`, the settings for networks, `ProxySettings/none`, and an `http` or
    /// `socks5h` proxy without a user. Only macOS supports excepted hosts. `ProxySettings/environment` means the
    /// system's settings there.
    ///
    /// The code for Apple platforms was compiled against stand-ins for Apple's frameworks, and its decisions are tested
    /// on Linux. It has never run on Apple's systems. According to Apple's documentation:
    ///
    /// - App Transport Security applies too. It may refuse a server that the system doesn't trust, even if
    ///   `TLSSettings/authorities` or `TLSSettings/verification` would accept the server, unless `Info.plist` excepts
    ///   the host under NSExceptionDomains. The system's demands on certificates also apply to your own authorities.
    /// - URLSession may resume a TLS session of another URLSession in the process, and then asks nothing about the
    ///   server. A transport with its own authorities or pinned keys accepts no response until it has checked a server.
    ///   So don't use another URLSession for the same hosts.
    ///
    /// - Parameters:
    ///   - configuration: The limits of the transport.
    ///   - settings: How connections are made.
    ///   - scheduler: The clock of the limits.
    /// - Throws: An `UnsupportedSetting` if URLSession cannot apply a setting. The error says which transport can.
    public convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        on scheduler: some FutureScheduler = .live
    ) throws(UnsupportedSetting) {
        try settings.checkForURLSession(in: ProcessInfo.processInfo.environment)
        let connecting = try SessionConnecting(settings)
        self.init(configuration, scheduler, connecting) { settings.configure($0) }
    }

    /// Creates a transport on a session that your app has, such as `URLSession.shared`.
    ///
    /// ```swift
    /// let transport = SessionTransport(session: .shared)
    /// ```
    ///
    /// The session's configuration applies: its headers, cookies, credentials, `URLProtocol`s and connections for each
    /// host. On Apple platforms, its cache, its time limits and its choice of networks apply too. Futures settle on the
    /// session's delegate queue.
    ///
    /// The session's delegate, if it has one, is asked for passwords and certificates. It is not notified of data, of
    /// the end of a task, or of redirects. On Apple platforms, it is notified of everything else. Redirects are not
    /// followed; `.redirect()` does that.
    ///
    /// A background session doesn't pass a response to its delegate piece by piece. So each call on a background
    /// session fails with `HTTPError.Code.unsupported`.
    ///
    /// Invalidate the session only after you no longer use the transport.
    ///
    /// On Linux, a second session without a cache sends the requests, so the session's `invalidateAndCancel()` and
    /// `getAllTasks` don't affect them. Passwords are sent only for Basic authentication there, and only by
    /// ``send(_:)``. The reasons are in
    /// Docs/Decisions/Transports/why-an-apps-session-gets-a-second-session-on-linux.md.
    ///
    /// - Parameters:
    ///   - session: The session, which the transport keeps alive.
    ///   - configuration: The limits; nil for the defaults, with the session's `timeoutIntervalForRequest` as
    ///     `idleTimeout`. The session itself limits the number of connections.
    ///   - scheduler: The clock of the limits.
    public convenience init(
        session: URLSession, _ configuration: Configuration? = nil,
        on scheduler: some FutureScheduler = .live
    ) {
        self.init(over: session, keeping: session, configuration, scheduler)
    }

    /// Uses a session of the app, and keeps `kept` alive.
    init(
        over session: URLSession, keeping kept: URLSession? = nil,
        _ configuration: Configuration? = nil, _ scheduler: some FutureScheduler = .live,
        refusing refusal: (URLSessionConfiguration) -> String? = { $0.refusal }
    ) {
        self.refusal = refusal(session.configuration)
        let configuration = configuration ?? Configuration(of: session.configuration)
        let first = SessionTaskDelegate(configuration.checked(), scheduler, for: session)
        first.open(for: session)
        sessions = SessionPools(first, nil)
        appSession = kept
    }

    deinit { sessions.close(cancelling: false) }

    /// Sends a request, and returns a future of the whole response, whatever its status.
    ///
    /// The request is running when the method returns, unless its body is a stream. Cancelling the future cancels the
    /// request.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the response. It fails with
    ///   - `Endpoint.Error` if the request cannot be sent; then nothing is sent;
    ///   - `HTTPError` if no whole answer arrived. The error has the request, the part of the response that arrived,
    ///     and usually URLSession's own error as its cause. Its code is `HTTPError.Code.bodyTooLarge` if the body is
    ///     larger than `maxBodySize`, and `HTTPError.Code.timedOut` if either time limit has passed. It
    ///     is `HTTPError.Code.bodyUnreadable`, `HTTPError.Code.bodyNotReplayable` or
    ///     `HTTPError.Code.bodyLengthMismatch` if the body could not be sent, and `HTTPError.Code.transportClosed`
    ///     after ``close(cancelling:)``;
    ///   - `CancellationError` if the call was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        send(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and returns a future that resolves when the response's headers have arrived.
    ///
    /// Requests and errors are the same as for ``send(_:)``. A failure after the headers fails the body. If you release
    /// or cancel a body before its end, the task is cancelled.
    ///
    /// - Parameter request: The request.
    /// - Returns: A future of the response, whose body is still arriving.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        send(request, for: .streamed(promise))
        return promise
    }

    private func send(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        guard let refusal else { return sessions.send(request, for: recipient) }
        recipient.fail(with: HTTPError(code: .unsupported, request: request, reason: refusal))
    }

    /// Refuses new calls, and releases the session after the running calls have ended.
    ///
    /// You can call it twice. If you release the transport, it closes itself, and the running calls still run to their
    /// end.
    ///
    /// - Parameter cancelling: True to cancel the running calls, which then fail with `CancellationError`.
    /// - Returns: A future that resolves when all sessions have been invalidated.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        sessions.close(cancelling: cancelling)
    }
}

extension SessionTransport {
    /// The limits of a transport.
    public struct Configuration: Hashable, Sendable {
        package var idleTimeout: Duration?
        package var maxBodySize: Int
        package var maxUnreadBytes: Int

        /// The folder of the temporary file for unread bytes.
        var spoolFolder = FileManager.default.temporaryDirectory
        package var maxSpooledBodySize: Int64
        package var maxConnectionsPerHost: Int

        /// Creates limits.
        ///
        /// It is a programming error if `maxConnectionsPerHost` or `maxUnreadBytes` is below one, or if another number
        /// is below zero. Creating a transport then traps.
        ///
        /// - Parameters:
        ///   - idleTimeout: The longest time without a byte in either direction; nil for no limit. After that time,
        ///     the call fails with `HTTPError.Code.timedOut`. The time starts with the call, and again with each
        ///     piece of a body. It includes the wait for a free connection.
        ///   - maxBodySize: The largest body of a whole response, in decoded bytes. A larger body cancels the call,
        ///     which fails with `HTTPError.Code.bodyTooLarge`.
        ///   - maxUnreadBytes: The most bytes of a streamed response that wait in memory for the reader. On Linux,
        ///     URLSession has no backpressure, so further bytes wait in a temporary file without a name. The file's
        ///     space is freed after the reader has read all of it. If the file cannot be written, the body fails with
        ///     `HTTPError.Code.fileUnwritable`. On Apple platforms, the task is suspended until the reader continues.
        ///   - maxSpooledBodySize: The largest streamed body of a request, in bytes. The stream is read to its end
        ///     before anything is sent. If it is longer than 1 MiB, it is read into a temporary file.
        ///   - maxConnectionsPerHost: The largest number of open connections to one host. Further requests wait for a
        ///     free connection. If connections have gone silent, a host can have more for a while; see
        ///     `SessionTransport`.
        public init(
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxUnreadBytes: Int = 16 << 20, maxSpooledBodySize: Int64 = 1 << 30,
            maxConnectionsPerHost: Int = 8
        ) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxSpooledBodySize = maxSpooledBodySize
            self.maxConnectionsPerHost = maxConnectionsPerHost
        }

        func ofSession(_ adjust: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
            let session = URLSessionConfiguration.ephemeral
            session.httpMaximumConnectionsPerHost = maxConnectionsPerHost
            adjust(session)
            // On Linux, cancelling a task of a session with a cache can end the process.
            session.urlCache = nil
            session.requestCachePolicy = .reloadIgnoringLocalCacheData
            session.httpCookieStorage = nil
            session.httpShouldSetCookies = false
            session.httpCookieAcceptPolicy = .never
            session.urlCredentialStorage = nil
            session.leaveTimeToTransport()
            return session
        }

        /// The limits for an app's session, with the session's own idle timeout.
        init(of session: URLSessionConfiguration) {
            let seconds = session.timeoutIntervalForRequest
            self.init(idleTimeout: seconds > 0 ? .seconds(min(seconds, 2_592_000)) : nil)
        }

        /// Traps if a limit is out of range.
        func checked() -> Self {
            precondition(
                maxConnectionsPerHost > 0, "at least 1 connection, not \(maxConnectionsPerHost)")
            precondition(maxUnreadBytes > 0, "room for at least 1 byte, not \(maxUnreadBytes)")
            precondition(maxBodySize >= 0 && maxSpooledBodySize >= 0, "a size is zero or more")
            precondition(idleTimeout ?? .zero >= .zero, "a time is zero or more")
            return self
        }
    }
}

extension URLSessionConfiguration {
    /// Why an app's session can't be used; nil if it can.
    var refusal: String? { Self.refusal(ofSessionNamed: identifier) }

    /// Why an app's session can't be used; nil if it can.
    ///
    /// - Parameter identifier: The name of a background session; nil for any other.
    static func refusal(ofSessionNamed identifier: String?) -> String? {
        if identifier == nil { return nil }
        return "a background session runs only uploads and downloads of files: give"
            + " SessionTransport a session with the configuration .default or .ephemeral"
    }

    /// Makes the session's own time limits 30 days.
    ///
    /// On Linux, URLSession truncates limits to whole seconds and multiplies them, which a longer limit would overflow.
    func leaveTimeToTransport() {
        timeoutIntervalForRequest = 2_592_000
        timeoutIntervalForResource = 2_592_000
    }
}

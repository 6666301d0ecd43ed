public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport on a URLSession of its own, or on one that the app has.
///
/// ```swift
/// let transport = SessionTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends each request unchanged and returns each response, whatever its status: it follows no redirects,
/// and on a session of its own it asks for no password, stores none, caches nothing and keeps no cookies.
/// Middleware does these things, in the same way over every transport.
///
/// - **Headers.** The request's headers are sent, repeated ones joined by ", ". Headers about the connection
///   are refused; see `HTTPRequest.validate()`. If the request does not have them, URLSession adds Accept,
///   Accept-Encoding, Accept-Language, Connection and User-Agent. A user and a password in the URL are not
///   sent, on a session of the app neither.
/// - **Bodies.** A body in memory and a file are sent as they are; a file is read while it is sent. A stream
///   is first read to its end, beyond 1 MiB into a temporary file, and sent with its length.
/// - **Codings.** URLSession decodes gzip, deflate and, depending on the system, br and zstd. Such a response
///   has no Content-Encoding and no Content-Length, which describe the encoded bytes. Limits count decoded
///   bytes. On Apple platforms a body in another coding arrives as it was sent, with its Content-Encoding.
/// - **Time.** ``Configuration/idleTimeout`` and the call's deadline are exact to the fraction of a
///   second.
/// - **Repetition.** If the server closes a connection at the moment at which it is used again, before any
///   part of an answer has arrived, a request that is idempotent or has an idempotency key is sent again.
///   Another request with a body fails with `HTTPError.Code.connectionLost`.
/// - **Threads.** Futures settle on a serial queue of the transport; futures of calls that run out of time
///   settle on their scheduler's thread. An observer that blocks there delays the other calls of the
///   transport.
/// - **The end.** Cancelling a future cancels its task, on another thread. A transport that is released lets
///   its calls finish; ``close(cancelling:)`` can cancel them.
///
/// ## What cannot be mended on Linux
///
/// The following happens in FoundationNetworking, below this transport. If a server may do such a thing, as
/// any server may that you do not run yourself, use `CurlTransport` of the module `PledgeLibcurlTransport`, or
/// `AHCTransport`: both read the same answers without harm.
///
/// - A `Content-Length` of 9223372036854775296 (2⁶³ − 512) or more, up to 2⁶³ − 1, ends the process.
/// - A chunked response with a trailer ends the process.
/// - A connection that is closed in the middle of a response's head ends the process, and so does a head with
///   a NUL, or with a line that begins with a CR. (If the connection is reset, the call fails with
///   `HTTPError.Code.connectionLost`.)
/// - A response fails with `badResponse` if its first line ends after the status without a space, or if its
///   head has a byte that is not UTF-8 or a line whose name is no token.
/// - Repeated Set-Cookie fields are joined by commas. `a=1, b=2` may be two cookies or one with a comma in its
///   value, so neither is returned; with an attribute, as in `a=1; Path=/, b=2`, both are.
/// - If a server sends a second answer by itself after the first has been read, the next call on the
///   connection gets it.
/// - Only libcurl's limit of 300 KiB bounds heads. A decoded body and a streamed body are bounded only by
///   what the caller reads. Bytes that decode to very many cost the time of their decoding before a limit
///   applies.
/// - A redirect (301, 302, 303, 305 to 308) whose Location is missing or not a URL arrives with its headers
///   but without its body. The limit on the body of a redirect with a Location applies only after all of it
///   has arrived; until then, the exchange counts as idle.
/// - A POST without a body is sent again like a GET if the connection was closed as above: libcurl does that
///   by itself.
/// - There is no backpressure: if a streamed body is read slowly, the bytes beyond
///   ``Configuration/maxUnreadBytes`` go through a temporary file.
/// - The code of a failure is derived from libcurl's message. A message that is not known becomes
///   `HTTPError.Code.other`.
/// - Of fields whose names differ only in case, the last one is kept; the order of fields is lost.
/// - All sessions of a process share one queue, on which everything happens except waiting for callers.
/// - A response in a coding that the system's libcurl does not support fails, even if `.decompress(upTo:)`
///   could decode it: URLSession makes libcurl decode every coding. On some systems libcurl has no zstd.
/// - There are no client certificates, no pinning, and no proxies except those that libcurl takes from the
///   environment: ``init(_:connecting:on:)`` refuses settings that URLSession cannot apply.
/// - An IPv6 address in place of a host is passed to URLSession percent-encoded, since URLSession refuses it
///   otherwise; a libcurl before 7.80 refuses the encoded form too (`HTTPError.Code.other`).
public final class SessionTransport: Sendable, HTTPTransport {
    private let tasks: SessionTaskDelegate
    /// The app's session, which this transport keeps alive if the app made the transport with it.
    private let appSession: URLSession?
    /// Why every call is refused; nil if none is.
    private let refusal: String?

    /// Makes a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - scheduler: The clock of the limits.
    ///   - adjust: Changes further settings of URLSession, such as the TLS versions on Apple platforms.
    ///     Called once. The settings that the transport relies on are set afterwards: no cache, no cookies,
    ///     no credentials, and the longest time limits.
    public convenience init(
        _ configuration: Configuration = Configuration(), on scheduler: some Scheduler = .live,
        adjusting adjust: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        self.init(configuration, scheduler, SessionConnecting(), adjust)
    }

    private init(
        _ configuration: Configuration, _ scheduler: some Scheduler,
        _ connecting: SessionConnecting, _ adjust: (URLSessionConfiguration) -> Void
    ) {
        tasks = SessionTaskDelegate(configuration.checked(), scheduler, connecting: connecting)
        tasks.open(configuration.ofSession(adjust))
        appSession = nil
        refusal = nil
    }

    /// Makes a transport with a session of its own, whose connections follow the settings.
    ///
    /// ```swift
    /// let transport = try SessionTransport(connecting: settings)
    /// ```
    ///
    /// On Linux only the defaults are supported: the system's authorities, full verification, HTTP/2 over TLS
    /// if the server supports it, and the proxy of the environment: libcurl reads `http_proxy` (in lower case
    /// only), `https_proxy`, `all_proxy` and `no_proxy` at each call. `ProxySettings/none` is supported if
    /// the environment names no proxy when the transport is made.
    ///
    /// Apple platforms support all of `TLSSettings` (a client certificate from a PKCS#12 file only),
    /// `ConnectionSettings/Versions/http3`, the settings for networks, `ProxySettings/none`, and an `http` and
    /// a `socks5h` proxy without a user; on macOS, with excepted hosts. There `ProxySettings/environment` means
    /// the system's settings. This was compiled against stand-ins for Apple's frameworks, and its decisions are
    /// tested on Linux; it has never run on Apple's systems. What their documentation says:
    ///
    /// - App Transport Security applies too. It may refuse a server that the system does not trust, also if
    ///   `TLSSettings/authorities` or `TLSSettings/verification` would accept it, unless `Info.plist` excepts
    ///   the host under NSExceptionDomains. The system's demands on certificates hold for your own authorities
    ///   too.
    /// - URLSession may resume a TLS session of another URLSession of the process, and then asks nothing about
    ///   the server. A transport with its own authorities or pinned keys takes no response until it has checked
    ///   a server, so do not use URLSession beside it for the same hosts.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - settings: How connections are made.
    ///   - scheduler: The clock of the limits.
    /// - Throws: An `UnsupportedSetting` if URLSession cannot apply a setting; it says which transport can.
    public convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        on scheduler: some Scheduler = .live
    ) throws(UnsupportedSetting) {
        try settings.checkForURLSession(in: ProcessInfo.processInfo.environment)
        let connecting = try SessionConnecting(settings)
        self.init(configuration, scheduler, connecting) { settings.configure($0) }
    }

    /// Makes a transport on a session that the app has already, such as `URLSession.shared`.
    ///
    /// ```swift
    /// let transport = SessionTransport(session: .shared)
    /// ```
    ///
    /// The session's configuration applies: its headers, cookies, credentials, `URLProtocol`s, connections
    /// for each host and, on Apple platforms, its cache and time limits, and which networks it waits for and
    /// uses. Its delegate, if it has one, is
    /// asked for passwords and certificates. It is not notified of data, of the end of a task and of
    /// redirects, and redirects are not followed: `.redirect()` does that. On Apple platforms it is notified
    /// of everything else. Futures settle on the session's delegate queue.
    ///
    /// A background session gives no response to its delegate piece by piece, so each call on one fails with
    /// `HTTPError.Code.unsupported`.
    ///
    /// The app invalidates its session after this transport is no longer used.
    ///
    /// On Linux the requests go through a second session without a cache; the session's
    /// `invalidateAndCancel()` and `getAllTasks` do not affect them. Passwords are sent only for Basic
    /// authentication there, and only by ``send(_:)``. The reasons are in
    /// Docs/Decisions/why-an-apps-session-gets-a-second-session-on-linux.md.
    ///
    /// - Parameters:
    ///   - session: The session; the transport keeps it.
    ///   - configuration: The limits; nil for the defaults, with the session's `timeoutIntervalForRequest` as
    ///     ``Configuration/idleTimeout``. The session decides how many connections there are.
    ///   - scheduler: The clock of the limits.
    public convenience init(
        session: URLSession, _ configuration: Configuration? = nil,
        on scheduler: some Scheduler = .live
    ) {
        self.init(over: session, keeping: session, configuration, scheduler)
    }

    /// Makes a transport on a session of the app; the transport keeps `kept` alive.
    init(
        over session: URLSession, keeping kept: URLSession? = nil,
        _ configuration: Configuration? = nil, _ scheduler: some Scheduler = .live,
        refusing refusal: (URLSessionConfiguration) -> String? = { $0.refusal }
    ) {
        self.refusal = refusal(session.configuration)
        let configuration = configuration ?? Configuration(of: session.configuration)
        tasks = SessionTaskDelegate(configuration.checked(), scheduler, for: session)
        tasks.open(for: session)
        appSession = kept
    }

    deinit { tasks.close(cancelling: false) }

    /// Sends a request, and returns a future of the whole response, whatever its status.
    ///
    /// The request is under way when the method returns, unless its body is a stream. Cancelling the future
    /// cancels the request.
    ///
    /// - Parameter request: The request. The deadline of the calling `CallContext` limits the whole exchange.
    /// - Returns: A future of the response. It rejects with
    ///   - `HTTPRequest.Error` if the request cannot be sent; nothing is sent;
    ///   - `HTTPError` if no whole answer arrived, with the request, the part of the response that arrived,
    ///     and usually URLSession's own error as its cause. Among its codes, `HTTPError.Code.bodyTooLarge`
    ///     means more than ``Configuration/maxBodySize``, `HTTPError.Code.timedOut` either time limit,
    ///     `HTTPError.Code.bodyUnreadable`, `HTTPError.Code.bodyNotReplayable` and
    ///     `HTTPError.Code.bodyLengthMismatch` a body that could not be sent,
    ///     `HTTPError.Code.transportClosed` a call after ``close(cancelling:)``;
    ///   - `CancellationError` if it was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        send(request, for: .whole(promise))
        return promise
    }

    /// Sends a request, and returns a future of the response that resolves when its headers have arrived.
    ///
    /// The description of requests and errors at ``send(_:)`` applies here too; a failure after the headers
    /// fails the body. A body that is released or cancelled before its end cancels the task.
    ///
    /// - Parameter request: The request.
    /// - Returns: A future of the response, whose body is still arriving.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let promise = InternalPromise<HTTPStreamedResponse>()
        send(request, for: .streamed(promise))
        return promise
    }

    private func send(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        guard let refusal else { return tasks.send(request, for: recipient) }
        recipient.fail(with: HTTPError(code: .unsupported, request: request, reason: refusal))
    }

    /// Refuses new calls, and releases the session after the calls under way have ended.
    ///
    /// Calling it twice is harmless. A transport that is released closes itself, and lets the calls under way
    /// finish.
    ///
    /// - Parameter cancelling: Whether the calls under way are cancelled: they reject with
    ///   `CancellationError`.
    /// - Returns: A future that resolves when the session has been invalidated.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        tasks.close(cancelling: cancelling)
    }
}

extension SessionTransport {
    /// The limits of a transport.
    public struct Configuration: Hashable, Sendable {
        /// How long no byte may arrive or leave before a call fails with `HTTPError.Code.timedOut`; nil for
        /// no limit.
        ///
        /// Counted from the beginning of the call, including its wait for a free connection, and again from
        /// each piece of a body, in either direction.
        public var idleTimeout: Duration?

        /// How many decoded bytes the body of a whole response may have; a larger body cancels the call,
        /// which fails with `HTTPError.Code.bodyTooLarge`.
        public var maxBodySize: Int

        /// How many bytes of a streamed response's body may wait in memory for its reader.
        ///
        /// On Linux URLSession has no backpressure: more bytes wait in a temporary file without a name, whose
        /// space is freed after all of it has been read. If the file cannot be written, the body fails with
        /// `HTTPError.Code.fileUnwritable`. On Apple platforms the task is suspended meanwhile.
        public var maxUnreadBytes: Int

        /// The folder of that file.
        var spoolFolder = FileManager.default.temporaryDirectory

        /// How many bytes a streamed request's body may have.
        ///
        /// The stream is read to its end before anything is sent; if it is longer than 1 MiB, into a
        /// temporary file.
        public var maxSpooledBodySize: Int64

        /// How many connections to one host are open at once; further requests wait for a free one.
        public var maxConnectionsPerHost: Int

        /// Makes limits.
        ///
        /// - Parameters:
        ///   - idleTimeout: How long no byte may arrive or leave; nil for no limit.
        ///   - maxBodySize: How many bytes the body of a whole response may have.
        ///   - maxUnreadBytes: How many bytes of a streamed response may wait in memory for their reader.
        ///   - maxSpooledBodySize: How many bytes a streamed request may have.
        ///   - maxConnectionsPerHost: How many connections to one host are open at once.
        ///
        /// Numbers below one, and sizes below zero, are programming errors and trap when a transport is made.
        public init(
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxUnreadBytes: Int = 16 << 20, maxSpooledBodySize: Int64 = 1 << 30,
            maxConnectionsPerHost: Int = 6
        ) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxSpooledBodySize = maxSpooledBodySize
            self.maxConnectionsPerHost = maxConnectionsPerHost
        }

        /// The configuration of the session.
        func ofSession(_ adjust: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
            let session = URLSessionConfiguration.ephemeral
            session.httpMaximumConnectionsPerHost = maxConnectionsPerHost
            adjust(session)
            // On Linux, to cancel a task of a session with a cache can end the process.
            session.urlCache = nil
            session.requestCachePolicy = .reloadIgnoringLocalCacheData
            session.httpCookieStorage = nil
            session.httpShouldSetCookies = false
            session.httpCookieAcceptPolicy = .never
            session.urlCredentialStorage = nil
            session.leaveTimeToTransport()
            return session
        }

        /// The limits for a session of the app: the defaults, except for the session's own idle timeout.
        init(of session: URLSessionConfiguration) {
            let seconds = session.timeoutIntervalForRequest
            self.init(idleTimeout: seconds > 0 ? .seconds(min(seconds, 2_592_000)) : nil)
        }

        /// The same limits; traps if one is out of range.
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
    /// Why a session of the app cannot be used; nil if it can be.
    var refusal: String? { Self.refusal(ofSessionNamed: identifier) }

    /// - Parameter identifier: The name of a background session; nil for any other session.
    static func refusal(ofSessionNamed identifier: String?) -> String? {
        if identifier == nil { return nil }
        return "a background session runs only uploads and downloads of files: give"
            + " SessionTransport a session with the configuration .default or .ephemeral"
    }

    /// Makes the session set no time limit.
    ///
    /// On Linux, URLSession truncates limits to whole seconds and multiplies them: 30 days are long and do
    /// not overflow.
    func leaveTimeToTransport() {
        timeoutIntervalForRequest = 2_592_000
        timeoutIntervalForResource = 2_592_000
    }
}

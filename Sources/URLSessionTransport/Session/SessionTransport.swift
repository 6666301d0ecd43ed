public import Futures
public import HTTPNetworking
import Services

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
/// It sends what it is given and gives what comes back, of any status: redirects are not followed, and on
/// a session of its own no password is asked for or stored, nothing is cached, and no cookie is kept.
/// Middleware does these things, alike over every transport.
///
/// - **Headers.** Those of the request are sent, repeated ones joined by ", ". What is about the connection
///   is refused; see `HTTPRequest.validate()`. Where the request names none, URLSession adds Accept, Accept-Encoding,
///   Accept-Language, Connection and User-Agent.
/// - **Bodies.** A body in memory and a file are sent as they are; a file is read while it is sent. A
///   stream is read to its end first, beyond 1 MiB into a temporary file, and sent with its length.
/// - **Codings.** URLSession decodes gzip, deflate and, depending on the system, br and zstd. Such a
///   response comes without Content-Encoding and Content-Length, which speak of the bytes before that.
///   Limits count decoded bytes.
/// - **Time.** ``Configuration/idleTimeout`` and the request's deadline, to the fraction of a second.
/// - **Repetition.** Where the server has closed a connection at the moment at which it is used again,
///   and nothing of an answer has come, a request that is idempotent or has an idempotency key is sent
///   again, another one with a body fails with `HTTPError.Code.connectionLost`.
/// - **Threads.** Futures settle on a serial queue of the transport, those that run out of time on
///   their scheduler's thread. An observer that blocks there holds up the other calls of the
///   transport.
/// - **The end.** Cancelling a future cancels its task, on another thread. A transport that is released
///   lets its calls finish; ``close(cancelling:)`` says otherwise.
///
/// ## What cannot be mended on Linux
///
/// FoundationNetworking is below this transport, and what follows happens there. Where a server may do such
/// a thing, which is wherever you do not run it yourself, take `CurlTransport` of the module `LibcurlTransport`,
/// or `AHCTransport`: both read the same answers without harm.
///
/// - A `Content-Length` of 9223372036854775807 ends the process.
/// - A chunked response with a trailer ends the process.
/// - A connection that ends in good order in the middle of a response's head ends the process, and so does
///   a head with a NUL, or with a line that begins with a CR. (One that breaks off, by a reset, is
///   `HTTPError.Code.connectionLost`.)
/// - An answer is `badResponse` whose first line ends with the status, without a space after it, or whose
///   head has a byte that is not UTF-8.
/// - A second answer that a server sends by itself, after the first has been read, is given to the next call on
///   the connection.
/// - Heads are bounded by libcurl's 300 KiB only; a body that is decoded, and a streamed one, by what the
///   caller reads. Bytes that are decoded to very many cost the time of their decoding before a limit is seen.
/// - A redirect (301, 302, 303, 305 to 308) without a Location that is a URL comes with its headers but
///   without its body. The body of one with a Location is bounded only when all of it has come, and until
///   then counts as silence.
/// - A POST without a body is sent again like a GET where the connection was closed as above: libcurl
///   does that by itself.
/// - Nothing holds a server back: of a streamed body that is read slowly, what waits beyond
///   ``Configuration/maxUnreadBytes`` goes through a temporary file.
/// - Why a call failed is read from libcurl's words. Words that are not known are `HTTPError.Code.other`.
/// - Of fields whose names differ in case only, the last one is kept; the order of fields is lost.
/// - All sessions of a process share one queue, on which all is done but waiting for callers.
/// - A response in a coding that the system's libcurl does not know fails, though `.decompress(upTo:)` could
///   decode it: libcurl is told to decode all. Some systems' libcurl has no zstd.
/// - There are no client certificates, no pinning, and no proxies but those that libcurl takes from the
///   environment: ``init(_:connecting:on:)`` refuses what it cannot keep.
/// - An IPv6 address in place of a host reaches URLSession percent-encoded, without which it refuses it; a
///   libcurl before 7.80 refuses it so too (`HTTPError.Code.other`).
public final class SessionTransport {
    private let tasks: SessionTaskDelegate
    /// The app's session, which lives as long as this where the app has made this of it.
    private let appSession: URLSession?

    /// Makes a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - scheduler: Whose time the limits are counted in.
    ///   - adjust: Changes what URLSession is configured with beyond that, such as the TLS versions on
    ///     Apple platforms. Called once. What the transport relies on is set after it: no cache, no
    ///     cookies, no credentials, and the longest limits of time.
    public init(
        _ configuration: Configuration = Configuration(), on scheduler: some Scheduler = .live,
        adjusting adjust: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        tasks = SessionTaskDelegate(configuration.checked(), scheduler)
        tasks.open(configuration.ofSession(adjust))
        appSession = nil
    }

    /// Makes a transport with a session of its own, whose connections are made as settings say.
    ///
    /// ```swift
    /// let transport = try SessionTransport(connecting: settings)
    /// ```
    ///
    /// On Linux the defaults hold, and nothing else does: the system's authorities, full verification, HTTP/2 over
    /// TLS where the server speaks it, and the proxy of the environment, of which libcurl reads `http_proxy`
    /// (in lower case only), `https_proxy`, `all_proxy` and `no_proxy` at each call.
    /// `ProxySettings/none` holds where the environment names none when the transport is made.
    ///
    /// On Apple platforms `TLSSettings/minimumVersion` holds and `ProxySettings/none`, and so do an `http` and
    /// a `socks5h` proxy without a user; on macOS, with excepted hosts. There
    /// `ProxySettings/environment` is what the system's settings say.
    ///
    /// - Parameters:
    ///   - configuration: Its limits.
    ///   - settings: How connections are made.
    ///   - scheduler: Whose time the limits are counted in.
    /// - Throws: An `UnsupportedSetting` where URLSession cannot keep a setting; it says which transport can.
    public convenience init(
        _ configuration: Configuration = Configuration(), connecting settings: ConnectionSettings,
        on scheduler: some Scheduler = .live
    ) throws(UnsupportedSetting) {
        try settings.checkForURLSession(in: ProcessInfo.processInfo.environment)
        self.init(configuration, on: scheduler) { settings.configure($0) }
    }

    /// Makes a transport on a session that the app has already, such as `URLSession.shared`.
    ///
    /// ```swift
    /// let transport = SessionTransport(session: .shared)
    /// ```
    ///
    /// The session's configuration holds: its headers, cookies, credentials, `URLProtocol`s, connections
    /// for each host and, on Apple platforms, its cache and limits of time. Its delegate, if it has one, is
    /// asked for passwords and certificates. Data, the end of a task and redirects are not told to it, and
    /// redirects are not followed: `.redirect()` does that. On Apple platforms it is told of all else.
    /// Futures settle on the session's delegate queue.
    ///
    /// The app invalidates its session, once this transport is not used any more.
    ///
    /// On Linux the requests go through a second session without a cache; the session's
    /// `invalidateAndCancel()` and `getAllTasks` do not reach them. Of passwords, only Basic's are sent there,
    /// and by ``send(_:)`` only. The reasons are in
    /// Docs/Decisions/why-an-apps-session-gets-a-second-session-on-linux.md.
    ///
    /// - Parameters:
    ///   - session: The session; the transport keeps it.
    ///   - configuration: The limits; nil for the defaults, with the session's
    ///     `timeoutIntervalForRequest` as ``Configuration/idleTimeout``. The session decides how
    ///     many connections there are.
    ///   - scheduler: Whose time the limits are counted in.
    public convenience init(
        session: URLSession, _ configuration: Configuration? = nil,
        on scheduler: some Scheduler = .live
    ) {
        self.init(over: session, keeping: session, configuration, scheduler)
    }

    /// Makes a transport on a session of the app's, which it keeps where it is given twice.
    init(
        over session: URLSession, keeping kept: URLSession? = nil,
        _ configuration: Configuration? = nil, _ scheduler: some Scheduler = .live
    ) {
        let configuration = configuration ?? Configuration(of: session.configuration)
        tasks = SessionTaskDelegate(configuration.checked(), scheduler, for: session)
        tasks.open(for: session)
        appSession = kept
    }

    deinit { tasks.close(cancelling: false) }

    /// Sends a request, and gives a future of the whole response, whatever its status.
    ///
    /// The request is on its way when the method returns, but for one whose body is a stream. Cancelling
    /// the future cancels it.
    ///
    /// - Parameter request: What to send. The deadline of the calling `CallContext` holds, if it is
    ///   sooner than the request's own.
    /// - Returns: A future of the response. It rejects with
    ///   - `HTTPRequest.Error` where the request cannot be sent; nothing is sent;
    ///   - `HTTPError` where no whole answer came, with the request, what had come, and as a rule
    ///     URLSession's own error as its cause. Of its codes,
    ///     `HTTPError.Code.bodyTooLarge` means more than ``Configuration/maxBodySize``,
    ///     `HTTPError.Code.timedOut` either limit of time, `HTTPError.Code.bodyUnreadable`,
    ///     `HTTPError.Code.bodyNotReplayable` and `HTTPError.Code.bodyLengthMismatch` a body that
    ///     could not be sent, `HTTPError.Code.transportClosed` a call after ``close(cancelling:)``;
    ///   - `CancellationError` where it was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPResponse>()
            tasks.send(request, for: .whole(promise))
            return promise
        }
    }

    /// Sends a request, and gives a future of the response as soon as its headers have come.
    ///
    /// What ``send(_:)`` says of the request and of errors holds here too; what fails after the headers
    /// fails the body. A body that is released or cancelled before its end cancels the task.
    ///
    /// - Parameter request: What to send.
    /// - Returns: A future of the response, whose body is still on its way.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPStreamedResponse>()
            tasks.send(request, for: .streamed(promise))
            return promise
        }
    }

    /// Refuses new calls, and lets go of the session when those under way have ended.
    ///
    /// Harmless twice. A transport that is released closes itself, and lets the calls under way finish.
    ///
    /// - Parameter cancelling: Whether the calls under way are cancelled: they reject with
    ///   `CancellationError`.
    /// - Returns: A future that resolves when the session is gone.
    @discardableResult
    public func close(cancelling: Bool = false) -> Future<Void> {
        tasks.close(cancelling: cancelling)
    }
}

extension SessionTransport: Sendable {}

extension SessionTransport: HTTPTransport {}

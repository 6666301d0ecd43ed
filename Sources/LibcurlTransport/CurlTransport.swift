public import Futures
public import HTTPNetworking
import Services

/// The system's libcurl as a transport: HTTP/1.1 and HTTP/2, streamed both ways.
///
/// ```swift
/// let transport = CurlTransport()
/// let api = makeNetworking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
/// ```
///
/// It sends what it is given and gives what comes back, of any status. libcurl's own redirects, cookies,
/// passwords and decompression are off: middleware does these things, alike over every transport.
///
/// libcurl is looked up when the first transport is made; see ``CurlLibrary``. Where there is none, each call
/// fails with the code `unsupported`, and the error says what to install.
///
/// - **Bodies.** They are streamed both ways in constant memory: a slow reader holds back the server, a slow
///   source the sending. A file and a stream are read while they are sent.
/// - **Repetition.** Where the server has closed a connection at the moment at which it is used again, and
///   nothing of an answer has come, a request that is idempotent or has an idempotency key is sent
///   again; another one fails with `HTTPError.Code.connectionLost`.
/// - **Threads.** One thread of the transport's own does all that is done with libcurl, and runs no function
///   of the app's, but with ``Delivery/inline``. Futures settle where the ``Delivery`` says.
/// - **The end.** Cancelling a future ends its call, and closes the connection where an answer is still to
///   come by it. A transport that is released lets its calls finish; ``close()`` ends them.
public final class CurlTransport {
    private let engine: Result<CurlEngine, HTTPError>
    private let options: CurlOptions?

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
    ///   - scheduler: Whose time the limits are counted in, but for the time that connecting takes.
    /// - Throws: An `UnsupportedSetting` where the libcurl of this machine cannot keep a setting.
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
        self.options = options
        do throws(HTTPError) {
            engine = .success(try CurlEngine(options, delivery: ResultDelivery(delivery)))
        } catch {
            engine = .failure(error)
        }
    }

    private init(unusable error: any Error) {
        options = nil
        engine = .failure(HTTPError(code: .unsupported, cause: error))
    }

    deinit { _ = try? engine.get().submit(.drain) }

    /// Sends a request and gathers the whole response.
    ///
    /// - Parameter request: The request. The sooner of its deadline and the calling `CallContext`'s holds
    ///   for the whole exchange.
    /// - Returns: A future of whatever the server answered, of any status. It rejects with
    ///   - `HTTPRequest.Error` where the request cannot be sent; nothing is sent;
    ///   - `HTTPError` where no whole answer came, with the request and what libcurl said, a ``CurlError``.
    ///     Of its codes, `HTTPError.Code.bodyTooLarge` means more than ``Configuration/maxBodySize``,
    ///     `HTTPError.Code.timedOut` one of the limits of time, which the error names,
    ///     `HTTPError.Code.transportClosed` a call that ``close()`` has ended,
    ///     `HTTPError.Code.unsupported` a machine without libcurl;
    ///   - `CancellationError` where it was cancelled.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPResponse>()
            start(request, for: .whole(promise))
            return promise
        }
    }

    /// Sends a request, and gives a future of the response as soon as its headers have come.
    ///
    /// What ``send(_:)`` says of the request and of errors holds here too; what fails after the headers
    /// fails the body. A body that is released or cancelled before its end ends the call.
    ///
    /// - Parameter request: What to send.
    /// - Returns: A future of the response, whose body is still on its way.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPStreamedResponse>()
            start(request, for: .streamed(promise))
            return promise
        }
    }

    /// Ends the calls under way, which reject with the code `transportClosed`, and refuses new ones.
    ///
    /// All connections are closed, and the thread ends. Harmless twice.
    ///
    /// - Returns: A future that resolves when nothing is left.
    @discardableResult
    public func close() -> Future<Void> {
        guard case .success(let engine) = engine else { return Future(value: ()) }
        engine.submit(.close)
        // Not the promise itself: cancelling the future of one call must not settle the others'.
        return engine.ended.map { $0 }
    }

    private func start(_ request: HTTPRequest, for recipient: CurlCall.Recipient) {
        let request = request.inCallContext()
        do {
            try request.validate()
            if let left = request.timeLeft, left <= .zero {
                throw HTTPError(code: .timedOut, reason: TimeLimit.deadline(after: .zero).words)
            }
            let engine = try engine.get()
            guard let options else { throw HTTPError(code: .unsupported) }
            let call = CurlCall(request, for: recipient, options, engine)
            let handle = try engine.handles.take(for: request)
            guard engine.submit(.start(call, handle)) else {
                engine.handles.giveBack(handle)
                throw HTTPError(code: .transportClosed)
            }
            recipient.onCancel { call.end(with: CancellationError()) }
            call.limitTime()
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }
}

extension CurlTransport: Sendable {}

extension CurlTransport: HTTPTransport {}

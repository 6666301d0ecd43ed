public import Pledge

/// One call of a ``MockNetwork``, for the test to answer.
///
/// ```swift
/// let call = try network.next()
/// #expect(call.headers["Authorization"] == "Bearer 1")
/// ```
///
/// You can answer a call from any thread. The caller's observers get the answer on that thread, before `answer`
/// returns. If you release a call without an answer, it rejects with the code ``MockError/Code/abandoned``.
public final class MockCall: Sendable {
    /// The call's position among all calls of the network, counted from 1.
    public let number: Int

    /// The requested endpoint.
    ///
    /// For a request through ``MockNetwork/send(_:)``, this is an endpoint that would send the same request. The
    /// endpoint's base is the origin of the URL. The endpoint includes the body only if the body is in memory.
    public let endpoint: Endpoint

    /// The request after all middleware; nil for a call through ``MockNetwork/request(_:)``.
    public let request: HTTPRequest?

    /// The context of the call, with its deadline and the attempt's number.
    public let context = CallContext.current

    private let caller: MockCaller
    private let cancelled = Promise<Void>()

    init(_ number: Int, _ endpoint: Endpoint, _ request: HTTPRequest?, from caller: MockCaller) {
        self.number = number
        self.endpoint = endpoint
        self.request = request
        self.caller = caller
        caller.onCancel { [cancelled] in cancelled.resolve(with: ()) }
    }

    deinit {
        let error = MockError(abandoned: number, endpoint)
        if cancelled.reject(with: error) { caller.reject(with: error) }
    }

    /// The headers as sent: the app's and the middleware's, the body's Content-Type, and the idempotency key.
    public var headers: HTTPHeaders { request?.effectiveHeaders ?? endpoint.effectiveHeaders }

    /// True if the caller has cancelled the call.
    public var isCancelled: Bool { cancelled.hasSucceeded }

    /// A future that resolves when the caller cancels the call.
    ///
    /// It fails with a ``MockError`` once the call can no longer be cancelled. The code is ``MockError/Code/answered``
    /// if the test answers the call, and ``MockError/Code/abandoned`` if the test releases it.
    ///
    /// ```swift
    /// screen.cancel()
    /// try await call.cancellation.value
    /// ```
    ///
    /// If a task awaits the call and is cancelled, it cancels the call on another thread, a moment later.
    public var cancellation: Future<Void> { cancelled.shielded() }

    /// True if the call is neither answered nor cancelled.
    public var isPending: Bool { !cancelled.isSettled }

    /// Answers the call.
    ///
    /// ```swift
    /// call.answer(with: .json(product))
    /// call.answer(with: .status(404))
    /// ```
    ///
    /// With a status outside 200…299, a call through ``MockNetwork/request(_:)`` rejects with an `HTTPError` that keeps
    /// the response, as with a real transport. A call through ``MockNetwork/send(_:)`` resolves with the response.
    ///
    /// - Parameter answer: The server's answer. If it's a future, the call is answered when the future settles.
    /// - Returns: False if the call was already answered or cancelled. Then nothing happens.
    @discardableResult
    public func answer(with answer: MemoryTransport.Answer) -> Bool {
        guard cancelled.reject(with: MockError(answered: number, endpoint)) else { return false }
        caller.hear(context.run { answer.response(to: endpoint, request) }, to: self)
        return true
    }

    /// Answers the call with status 200 and these bytes.
    ///
    /// - Parameter data: The body.
    /// - Returns: False if the call was already answered or cancelled. Then nothing happens.
    @discardableResult
    public func answer(with data: Data) -> Bool { answer(with: .data(data)) }
}

extension MockCall: CustomStringConvertible {
    /// The call and its state, such as `call 1, GET /products/7, cancelled`.
    public var description: String {
        let standing = isCancelled ? "cancelled" : isPending ? "waiting for its answer" : "answered"
        return "call \(number), \(endpoint), \(standing)"
    }
}

/// Who made a ``MockCall``: ``MockNetwork/request(_:)`` or ``MockNetwork/send(_:)``.
enum MockCaller: Sendable {
    /// Through a `Networking`: gets the body of a successful response.
    case ofNetworking(InternalPromise<Data>)
    /// Through an `HTTPService`: gets the response, whatever its status.
    case ofService(InternalPromise<HTTPResponse>)

    func onCancel(_ action: @escaping @Sendable () -> Void) {
        switch self {
        case .ofNetworking(let promise): promise.onCancel(action)
        case .ofService(let promise): promise.onCancel(action)
        }
    }

    func reject(with error: any Error) {
        switch self {
        case .ofNetworking(let promise): promise.reject(with: error)
        case .ofService(let promise): promise.reject(with: error)
        }
    }

    func hear(_ answer: Future<HTTPResponse>, to call: MockCall) {
        let (endpoint, request) = (call.endpoint, call.request)
        switch self {
        case .ofNetworking(let promise):
            promise.follow(answer) { try $0.acceptedBody(for: endpoint) }
        case .ofService(let promise):
            promise.follow(answer.mapError { error in request.map(error.withRequest) ?? error }) {
                var response = $0
                response.url = response.url ?? request?.url
                response.request = request
                return response
            }
        }
    }
}

extension InternalPromise {
    /// Settles with a future's result, and cancels the future when nobody waits any more.
    fileprivate func follow<Source>(
        _ source: Future<Source>, _ transform: @escaping @Sendable (Source) throws -> Value
    ) {
        let source = source.onEnd { result in
            self.settle(with: Result { try transform(result.get()) })
        }
        if !source.isSettled { onCancel { source.cancel() } }
    }
}

/// A call of a ``MockNetwork`` that waits for an answer, for a test to inspect or print.
public struct PendingCall: Hashable, Sendable {
    /// The call's position among all calls of the network, counted from 1.
    public let number: Int

    /// The requested endpoint.
    public let endpoint: Endpoint

    /// True if the test has taken the call with `MockNetwork.next()`.
    package let isTaken: Bool
}

extension PendingCall: CustomStringConvertible {
    /// The call on one line, such as `call 1, GET /products/7, not taken`.
    public var description: String {
        "call \(number), \(endpoint), \(isTaken ? "taken" : "not taken")"
    }
}

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
        caller.reject(with: error)
        cancelled.reject(with: error)
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
    public var isPending: Bool { !caller.hasAnswer && !isCancelled }

    /// Answers the call.
    ///
    /// ```swift
    /// try call.answer(with: .json(product))
    /// call.answer(with: .status(404))
    /// ```
    ///
    /// - Parameter answer: The server's answer.
    /// - Returns: False if the call was already answered or cancelled. Then nothing happens.
    @discardableResult
    public func answer(with answer: MockAnswer) -> Bool {
        guard !isCancelled, caller.hear(answer, to: self) else { return false }
        cancelled.reject(with: MockError(answered: number, endpoint))
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

/// The caller of a ``MockCall``, through ``MockNetwork/request(_:)`` or ``MockNetwork/send(_:)``.
enum MockCaller: Sendable {
    /// The caller uses a `Networking`, and gets the body of a successful response.
    case ofNetworking(InternalPromise<Data>)
    /// The caller uses an `HTTPService`, and gets the response, whatever the response's status.
    case ofService(InternalPromise<HTTPResponse>)

    var hasAnswer: Bool {
        switch self {
        case .ofNetworking(let promise): promise.result != nil
        case .ofService(let promise): promise.result != nil
        }
    }

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

    /// Passes an answer to the caller.
    ///
    /// - Returns: False if the caller already has an answer.
    func hear(_ answer: MockAnswer, to call: MockCall) -> Bool {
        switch self {
        case .ofNetworking(let promise):
            promise.settle(with: Result { try answer.body(for: call.endpoint) })
        case .ofService(let promise):
            promise.settle(with: Result { try answer.response(to: call.request) })
        }
    }
}

/// A call of a ``MockNetwork`` that waits for an answer, for a test to inspect or print.
public struct PendingCall: Hashable, Sendable {
    /// The call's position among all calls of the network, counted from 1.
    public let number: Int

    /// The requested endpoint.
    public let endpoint: Endpoint

    /// True if the test has taken the call with `MockNetwork.next()`.
    public let isTaken: Bool
}

extension PendingCall: CustomStringConvertible {
    /// The call on one line, such as `call 1, GET /products/7, not taken`.
    public var description: String {
        "call \(number), \(endpoint), \(isTaken ? "taken" : "not taken")"
    }
}

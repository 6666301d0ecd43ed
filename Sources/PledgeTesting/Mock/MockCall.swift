public import Pledge

/// One call of a ``MockNetwork``, which the test answers.
///
/// ```swift
/// let call = try network.next()
/// #expect(call.headers["Authorization"] == "Bearer 1")
/// ```
///
/// It may be answered from any thread. Its observers get the answer on that thread, before `answer` returns.
/// If it is released unanswered, it rejects with the code ``MockError/Code/abandoned``.
public final class MockCall: Sendable {
    /// Its place among all calls of the network, counted from 1.
    public let number: Int

    /// What was asked for.
    ///
    /// For a request through ``MockNetwork/send(_:)``, this is an endpoint that would send the same request,
    /// with the origin of the URL as its base; a body is included only if it is in memory.
    public let endpoint: Endpoint

    /// The request after all middleware; nil for a call through ``MockNetwork/request(_:)``.
    public let request: HTTPRequest?

    /// The context of the call, with its deadline and the number of the attempt.
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

    /// The sent headers: those of the app and its middleware, the body's Content-Type, and the idempotency
    /// key.
    public var headers: HTTPHeaders { request?.effectiveHeaders ?? endpoint.effectiveHeaders }

    /// Whether the caller has cancelled the call.
    public var isCancelled: Bool { cancelled.hasSucceeded }

    /// A future that resolves when the caller cancels the call.
    ///
    /// It fails with a ``MockError`` once the call can't be cancelled any more: with the code
    /// ``MockError/Code/answered`` when the test answers it, ``MockError/Code/abandoned`` when the test releases it.
    ///
    /// ```swift
    /// screen.cancel()
    /// try await call.cancellation.value
    /// ```
    ///
    /// A task that is cancelled while it awaits cancels the call on another thread, a moment later.
    public var cancellation: Future<Void> { cancelled.shielded() }

    /// Whether the call waits for an answer: not answered, and not cancelled.
    public var isPending: Bool { !caller.hasAnswer && !isCancelled }

    /// Answers the call.
    ///
    /// ```swift
    /// try call.answer(with: .json(product))
    /// call.answer(with: .status(404))
    /// ```
    ///
    /// - Parameter answer: The server's answer.
    /// - Returns: False if the call was answered or cancelled before; then nothing happens.
    @discardableResult
    public func answer(with answer: MockAnswer) -> Bool {
        guard !isCancelled, caller.hear(answer, to: self) else { return false }
        cancelled.reject(with: MockError(answered: number, endpoint))
        return true
    }

    /// Answers the call with status 200 and these bytes.
    ///
    /// - Parameter data: The body.
    /// - Returns: False if the call was answered or cancelled before; then nothing happens.
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

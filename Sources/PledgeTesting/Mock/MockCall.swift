public import Pledge

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One call that reached a ``MockNetwork``, for the test to answer when it likes.
///
/// It may be answered from any thread. Whoever waits for it hears the answer on that thread, before
/// `answer` returns. Released unanswered, it rejects with the code ``MockError/Code/abandoned``.
public final class MockCall: Sendable {
    /// Its place among all calls of the network, counted from 1.
    public let number: Int

    /// What was asked for.
    public let endpoint: Endpoint

    private let promise: InternalPromise<Data>
    private let cancelled = Locked(false)

    init(_ number: Int, _ endpoint: Endpoint, _ promise: InternalPromise<Data>) {
        self.number = number
        self.endpoint = endpoint
        self.promise = promise
        promise.onCancel { [cancelled] in cancelled.withLock { $0 = true } }
    }

    deinit { promise.reject(with: MockError(abandoned: number, endpoint)) }

    /// Whether whoever asked does not want the answer any more.
    public var isCancelled: Bool { cancelled.withLock { $0 } }

    /// Whether the call waits for an answer: not answered, and not cancelled.
    public var isPending: Bool { promise.result == nil && !isCancelled }

    /// Answers the call.
    ///
    /// ```swift
    /// try call.answer(with: .json(product))
    /// call.answer(with: .status(404))
    /// ```
    ///
    /// - Parameter answer: What the server says.
    /// - Returns: False where the call was answered or cancelled before; then nothing happens.
    @discardableResult
    public func answer(with answer: MockAnswer) -> Bool {
        if isCancelled { return false }
        return switch answer.result(for: endpoint) {
        case .success(let data): promise.resolve(with: data)
        case .failure(let error): promise.reject(with: error)
        }
    }

    /// Answers the call with status 200 and these bytes.
    ///
    /// - Parameter data: The body.
    /// - Returns: False where the call was answered or cancelled before; then nothing happens.
    @discardableResult
    public func answer(with data: Data) -> Bool { answer(with: .data(data)) }
}

extension MockCall: CustomStringConvertible {
    /// The call and how it stands, such as `call 1, GET /products/7, cancelled`.
    public var description: String {
        let standing = isCancelled ? "cancelled" : isPending ? "waiting for its answer" : "answered"
        return "call \(number), \(endpoint), \(standing)"
    }
}

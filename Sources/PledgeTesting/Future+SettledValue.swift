public import Pledge

extension Future {
    /// The value this future has now, without waiting.
    ///
    /// ```swift
    /// #expect(try future.settledValue() == product)
    /// #expect(throws: HTTPError.self) { try future.settledValue() }
    /// ```
    ///
    /// - Returns: The value.
    /// - Throws: The error it rejected with, or ``PendingFutureError`` where it is still pending.
    public func settledValue() throws -> Value {
        guard let result else { throw PendingFutureError() }
        return try result.get()
    }
}

/// A test asked a future for its value before it had one.
public struct PendingFutureError: Error, Hashable, CustomStringConvertible {
    /// Makes the error.
    public init() {}

    /// What happened, and what to do.
    public var description: String {
        """
        the future is still pending: answer the call it waits for, advance its scheduler, or \
        write `try await future.value`
        """
    }
}

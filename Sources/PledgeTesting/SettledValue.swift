public import Pledge

extension Future {
    /// Returns the current value of the future, without waiting.
    ///
    /// ```swift
    /// #expect(try future.settledValue() == product)
    /// #expect(throws: HTTPError.self) { try future.settledValue() }
    /// ```
    ///
    /// - Returns: The value.
    /// - Throws: The error of a rejected future, or an error that says what to do if the future is still pending.
    public func settledValue() throws -> Value {
        guard let result else { throw PendingFutureError() }
        return try result.get()
    }
}

/// The error of a test that asks a pending future for its value.
package struct PendingFutureError: Error, Hashable, CustomStringConvertible {
    /// Creates the error.
    package init() {}

    /// What happened, and what to do about it.
    package var description: String {
        """
        the future is still pending: answer the call it waits for, advance its scheduler, or \
        write `try await future.value`
        """
    }
}

extension Future {
    /// Replaces an error by a value, which the closure returns at once.
    ///
    /// To ask a second source, use ``flatMapError(_:fileID:line:)``, which waits for it.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after
    ///     a success. `CancellationError` is an error like any other here. If it throws, the new
    ///     future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the one made from its error.
    public final func recover(
        _ transform: @escaping @Sendable (any Error) throws -> Value,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .recover(transform), at: CodeLocation(fileID: fileID, line: line))
    }

    /// Continues after an error with another future: a retry, or a second source.
    ///
    /// If the value is available at once, ``recover(_:fileID:line:)`` takes it without a future.
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, as with
    /// `flatMap(_:fileID:line:)`.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future, in the call context of
    ///     this line; not called after a success. If it throws, the new future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or what the one made from its error settles with.
    public final func flatMapError(
        _ transform: @escaping @Sendable (any Error) throws -> Future<Value>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(
            by: .flatMapError(transform, CallerContext()),
            at: CodeLocation(fileID: fileID, line: line))
    }

    /// Transforms the error.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after
    ///     a success. If it throws, the new future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the transformed error.
    public final func mapError(
        _ transform: @escaping @Sendable (any Error) throws -> any Error,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .mapError(transform), at: CodeLocation(fileID: fileID, line: line))
    }
}

extension Future {
    /// Replaces an error by a value.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after
    ///     a success. `CancellationError` is an error like any other here. If it throws, the new
    ///     future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the one made from its error.
    @inlinable
    public final func recover(
        _ transform: @escaping @Sendable (any Error) throws -> Value,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        .step(after: self, .recover(transform), fileID, line)
    }

    /// Goes on after an error with another future: a retry, or a second source.
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, as with
    /// ``flatMap(_:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after
    ///     a success. If it throws, the new future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or what the one made from its error settles with.
    @inlinable
    public final func flatMapError(
        _ transform: @escaping @Sendable (any Error) throws -> Future<Value>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        .step(after: self, .flatMapError(transform), fileID, line)
    }

    /// Transforms the error.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after
    ///     a success. If it throws, the new future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the transformed error.
    @inlinable
    public final func mapError(
        _ transform: @escaping @Sendable (any Error) throws -> any Error,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        .step(after: self, .mapError(transform), fileID, line)
    }
}

extension Future {
    /// Adds a step that keeps the type of value.
    @inlinable
    static func step(
        after upstream: Future<Value>, _ step: StepFuture<Value>.Step,
        _ fileID: StaticString, _ line: UInt
    ) -> Future<Value> {
        StepFuture.make(after: upstream, step, at: SourceLocation(fileID: fileID, line: line))
    }
}

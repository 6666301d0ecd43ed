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
    @inlinable
    public final func recover(
        _ transform: @escaping @Sendable (any Error) throws -> Value,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: Recover(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Continues after an error with another future: a retry, or a second source.
    ///
    /// If the value is available at once, ``recover(_:fileID:line:)`` takes it without a future.
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, as with
    /// ``flatMap(_:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future, in the call context of
    ///     this line; not called after a success. If it throws, the new future fails with what it throws.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or what the one made from its error settles with.
    @inlinable
    public final func flatMapError(
        _ transform: @escaping @Sendable (any Error) throws -> Future<Value>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(
            by: FlatMapError(body: transform), at: SourceLocation(fileID: fileID, line: line))
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
        transformed(by: MapError(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }
}

@usableFromInline
struct Recover<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (any Error) throws -> Value)?

    @inlinable init(body: @escaping @Sendable (any Error) throws -> Value) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) throws -> Outcome<Value> {
        guard let failure = source.failure else { return .unchanged }
        guard let body else { preconditionFailure(Self.released) }
        return .value(try body(failure.error))
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct FlatMapError<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (any Error) throws -> Future<Value>)?
    @usableFromInline let context = CallerContext()

    @inlinable
    init(body: @escaping @Sendable (any Error) throws -> Future<Value>) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) throws -> Outcome<Value> {
        guard let failure = source.failure else { return .unchanged }
        guard let body else { preconditionFailure(Self.released) }
        return .future(try context.run { try body(failure.error) })
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct MapError<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (any Error) throws -> any Error)?

    @inlinable init(body: @escaping @Sendable (any Error) throws -> any Error) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) throws -> Outcome<Value> {
        guard let failure = source.failure else { return .unchanged }
        guard let body else { preconditionFailure(Self.released) }
        // The error is transformed, not thrown: the origin remains the step that threw.
        return .failure(Failure(try body(failure.error), thrownAt: failure.origin))
    }

    @inlinable mutating func release() { body = nil }
}

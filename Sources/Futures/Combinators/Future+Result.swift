extension Future {
    /// Transforms the whole result, success or failure.
    ///
    /// - Parameters:
    ///   - transform: Called with the result, on the thread that settles this future. If it throws, the new
    ///     future fails with that error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The future of the transformed result.
    @inlinable
    public final func mapResult<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Result<Value, any Error>) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(by: MapResult(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Continues with another future, made from the whole result.
    ///
    /// - Parameters:
    ///   - transform: Called with the result, as the closure of ``flatMap(_:fileID:line:)`` is with a value.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles as the inner one does.
    @inlinable
    public final func flatMapResult<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Result<Value, any Error>) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(
            by: FlatMapResult(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Continues with another future after some results, and keeps the others unchanged.
    ///
    /// - Parameter next: As for ``flatMapResult(_:fileID:line:)``. Nil keeps the result, without an object.
    /// - Returns: What the future from `next` settles with, or else this one's result.
    @inlinable
    package final func continued(
        _ next: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?
    ) -> Future<Value> {
        transformed(by: Continued(body: next), at: nil)
    }
}

@usableFromInline
struct MapResult<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Result<Input, any Error>) throws -> Output)?

    @inlinable
    init(body: @escaping @Sendable (Result<Input, any Error>) throws -> Output) {
        self.body = body
    }

    @inlinable
    func apply(to source: Future<Input>) throws -> Outcome<Output> {
        guard let body else { preconditionFailure(Self.released) }
        return .value(try body(source.settledResult))
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct FlatMapResult<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Result<Input, any Error>) throws -> Future<Output>)?
    @usableFromInline let context = CallerContext()

    @inlinable
    init(body: @escaping @Sendable (Result<Input, any Error>) throws -> Future<Output>) {
        self.body = body
    }

    @inlinable
    func apply(to source: Future<Input>) throws -> Outcome<Output> {
        guard let body else { preconditionFailure(Self.released) }
        return .future(try context.run { try body(source.settledResult) })
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct Continued<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Result<Value, any Error>) -> Future<Value>?)?
    @usableFromInline let context = CallerContext()

    @inlinable
    init(body: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?) {
        self.body = body
    }

    @inlinable
    func apply(to source: Future<Value>) -> Outcome<Value> {
        if let next = context.run({ body?(source.settledResult) }) { return .future(next) }
        return .unchanged
    }

    @inlinable mutating func release() { body = nil }
}

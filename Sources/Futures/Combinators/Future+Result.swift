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
        transformed(by: MapResult(transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Goes on with another future, made from the whole result.
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
            by: FlatMapResult(transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Goes on with another future after some results, and keeps the others as they are.
    ///
    /// - Parameter next: As for ``flatMapResult(_:fileID:line:)``. Nil keeps the result, without an object.
    /// - Returns: What the future from `next` settles with, or else this one's result.
    package final func continued(
        _ next: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?
    ) -> Future<Value> {
        transformed(by: Continued(body: next), at: nil)
    }
}

@usableFromInline
struct MapResult<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline typealias Body = @Sendable (Result<Input, any Error>) throws -> Output
    @usableFromInline var body: Body?

    @inlinable init(_ body: @escaping Body) { self.body = body }

    @inlinable
    func apply(_ body: Body, to source: Future<Input>) throws -> Outcome<Output> {
        .value(try body(source.settledResult))
    }
}

@usableFromInline
struct FlatMapResult<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline typealias Body = @Sendable (Result<Input, any Error>) throws -> Future<Output>
    @usableFromInline var body: Body?
    @usableFromInline let context = CallerContext()

    @inlinable init(_ body: @escaping Body) { self.body = body }

    @inlinable
    func apply(_ body: Body, to source: Future<Input>) throws -> Outcome<Output> {
        .future(try context.run { try body(source.settledResult) })
    }
}

private struct Continued<Value: Sendable>: Transform {
    typealias Body = @Sendable (Result<Value, any Error>) -> Future<Value>?
    var body: Body?
    let context = CallerContext()

    func apply(_ body: Body, to source: Future<Value>) -> Outcome<Value> {
        context.run { body(source.settledResult) }.map(Outcome.future) ?? source.outcome
    }
}

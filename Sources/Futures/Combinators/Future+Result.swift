extension Future {
    /// Continues with another future, made from the whole result.
    ///
    /// - Parameters:
    ///   - transform: Called with the result, as the closure of `flatMap(_:fileID:line:)` is with a value.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles as the inner one does.
    public final func flatMapResult<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Result<Value, any Error>) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(
            by: .flatMapResult(transform, CallerContext()),
            at: CodeLocation(fileID: fileID, line: line))
    }

    /// Continues with another future after some results, and keeps the others unchanged.
    ///
    /// - Parameter next: As for ``flatMapResult(_:fileID:line:)``. Nil keeps the result, without an object.
    /// - Returns: What the future from `next` settles with, or else this one's result.
    package final func flatMapSomeResults(
        _ next: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?
    ) -> Future<Value> {
        transformed(by: .flatMapSomeResults(next, CallerContext()), at: nil)
    }
}

extension Future {
    /// Keeps a value only if it fulfils a condition.
    ///
    /// ```swift
    /// loadProduct(7).filter { $0.isAvailable }
    /// ```
    ///
    /// - Parameters:
    ///   - predicate: Called with the value, on the thread that settles this future. If it throws,
    ///     the new future fails with that error.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The same value, or a failure with ``FutureError/Code/notEnsured`` if the predicate
    ///   is false. It fails as this future does.
    public final func filter(
        _ predicate: @escaping @Sendable (Value) throws -> Bool,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .filter(predicate), at: CodeLocation(fileID: fileID, line: line))
    }
}

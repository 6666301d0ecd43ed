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
    @inlinable
    public final func filter(
        _ predicate: @escaping @Sendable (Value) throws -> Bool,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        let location = SourceLocation(fileID: fileID, line: line)
        return transformed(by: Filter(predicate: predicate, location: location), at: location)
    }

    /// The former name of `filter`.
    @available(*, deprecated, renamed: "filter(_:fileID:line:)")
    @inlinable
    public final func ensure(
        _ predicate: @escaping @Sendable (Value) throws -> Bool,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        filter(predicate, fileID: fileID, line: line)
    }
}

@usableFromInline
struct Filter<Value: Sendable>: Transform {
    @usableFromInline var predicate: (@Sendable (Value) throws -> Bool)?
    @usableFromInline let location: SourceLocation

    @inlinable
    init(predicate: @escaping @Sendable (Value) throws -> Bool, location: SourceLocation) {
        self.predicate = predicate
        self.location = location
    }

    @inlinable
    func apply(to source: Future<Value>) throws -> Outcome<Value> {
        if source.failure == nil, let predicate, try !predicate(source.storage.unsafelyUnwrapped) {
            throw FutureError(.notEnsured, at: location)
        }
        return .unchanged
    }

    @inlinable mutating func release() { predicate = nil }
}

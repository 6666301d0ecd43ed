extension Future {
    /// Transforms the value.
    ///
    /// ```swift
    /// let name = loadProduct(7).map(\.name)
    /// ```
    ///
    /// - Parameters:
    ///   - transform: Called with the value, on the thread that settles this future; not called
    ///     after a failure. If it throws, the new future fails with that error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The future of the transformed value. It fails as this one does.
    @inlinable
    public final func map<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(by: Map(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }

    /// Transforms the value within the framework.
    ///
    /// A failure then has no origin: a line of the framework would be of no use.
    @inlinable
    package final func mapWithoutOrigin<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> Future<NewValue> {
        transformed(by: Map(body: transform), at: nil)
    }
}

@usableFromInline
struct Map<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Input) throws -> Output)?

    @inlinable init(body: @escaping @Sendable (Input) throws -> Output) { self.body = body }

    @inlinable
    func apply(to source: Future<Input>) throws -> Outcome<Output> {
        if let failure = source.failure { return .failure(failure) }
        guard let body else { preconditionFailure(Self.released) }
        return .value(try body(source.storage.unsafelyUnwrapped))
    }

    @inlinable mutating func release() { body = nil }
}

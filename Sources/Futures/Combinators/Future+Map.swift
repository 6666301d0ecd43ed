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
        mapped(by: transform, at: CodeLocation(fileID: fileID, line: line))
    }

    /// Transforms the value within the framework.
    ///
    /// A failure then has no origin: a line of the framework would be of no use.
    @inlinable
    package final func mapWithoutOrigin<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> Future<NewValue> {
        mapped(by: transform, at: nil)
    }

    /// Adds a `map`, compiled where it is used.
    @inlinable
    final func mapped<NewValue: Sendable>(
        by transform: @escaping @Sendable (Value) throws -> NewValue, at location: CodeLocation?
    ) -> Future<NewValue> {
        if hasSettled {
            guard hasSucceeded else { return failed() }
            if enterDelivery() {
                defer { Self.leaveDelivery() }
                do {
                    return Future<NewValue>(value: try transform(settledValue))
                } catch {
                    return failed(by: error, at: location)
                }
            }
        }
        let future = TransformedFuture(.map(transform), at: location) { node, source in
            unsafeDowncast(node, to: TransformedFuture<Value, NewValue>.self)
                .receiveMapped(unsafeDowncast(source, to: Future<Value>.self))
        }
        enroll(future.retained())
        return future
    }
}

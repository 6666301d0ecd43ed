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
        map(transform, at: SourceLocation(fileID: fileID, line: line))
    }

    /// Transforms the value within the framework.
    ///
    /// A failure then has no origin: the framework's own line would tell nobody anything.
    package final func mapWithoutOrigin<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> Future<NewValue> {
        map(transform, at: nil)
    }

    @inlinable
    final func map<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue, at location: SourceLocation?
    ) -> Future<NewValue> {
        if isSettled, Self.enterDelivery() {
            defer { Self.leaveDelivery() }
            if let failure { return Future<NewValue>(sharing: failure) }
            do {
                return Future<NewValue>(value: try transform(storage.unsafelyUnwrapped))
            } catch {
                return Future<NewValue>(
                    sharing: Failure(error, thrownAt: location))
            }
        }
        let mapped = MapFuture<Value, NewValue>(transform, at: location) { waiter, source in
            unsafeDowncast(waiter, to: MapFuture<Value, NewValue>.self)
                .receive(unsafeDowncast(source, to: Future<Value>.self))
        }
        enroll(mapped.retained())
        return mapped
    }
}

/// The future of a transformed value, and the waiter for the value: one object for both.
@usableFromInline
final class MapFuture<Input: Sendable, Value: Sendable>: DerivedFuture<Value>, @unchecked Sendable {
    /// Nil once called, or not needed any more.
    ///
    /// Belongs to the deliverer; see `Waiter.withdraw`.
    @usableFromInline
    @exclusivity(unchecked)
    var transform: (@Sendable (Input) throws -> Value)?

    @usableFromInline
    let location: SourceLocation?

    @inlinable
    init(
        _ transform: @escaping @Sendable (Input) throws -> Value,
        at location: SourceLocation?, deliver: @escaping Delivery
    ) {
        self.transform = transform
        self.location = location
        super.init(deliver: deliver)
    }

    @inlinable
    func receive(_ source: Future<Input>) {
        guard isPending, let transform else {
            self.transform = nil
            return waitUntilLeft()
        }
        if let failure = source.failure {
            self.transform = nil
            failDerived(failure)
            return
        }
        do {
            let value = try transform(source.storage.unsafelyUnwrapped)
            self.transform = nil
            succeedDerived(value)
        } catch {
            self.transform = nil
            failDerived(Failure(error, thrownAt: location))
        }
    }

    override func withdraw() { transform = nil }
}

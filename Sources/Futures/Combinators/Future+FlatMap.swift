extension Future {
    /// Goes on with another future, made from the value.
    ///
    /// ```swift
    /// let orders = loadUser(7).flatMap { user in loadOrders(of: user) }
    /// ```
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, however
    /// many turns it takes, as long as it returns the future of the `flatMap` itself. (Twitter's
    /// futures and Scala's do the same; see Docs/Decisions.)
    ///
    /// - Parameters:
    ///   - transform: Called with the value, on the thread that settles this future; not called
    ///     after a failure. If it throws, the new future fails with that error. If the new future
    ///     is cancelled while this runs, the future it returns loses that interest at once.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles as the inner one does, or fails as this one does.
    @inlinable
    public final func flatMap<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        let mapped = FlatMapFuture<Value, NewValue>(
            transform, at: SourceLocation(fileID: fileID, line: line)
        ) { waiter, source in
            unsafeDowncast(waiter, to: FlatMapFuture<Value, NewValue>.self)
                .receive(unsafeDowncast(source, to: Future<Value>.self))
        }
        if isSettled, Self.enterDelivery() {
            mapped.receive(self)
            mapped.shorten()
            Self.leaveDelivery()
        } else {
            enroll(mapped.retained())
        }
        return mapped
    }
}

/// The future that `flatMap` returns: first the waiter for the outer value, then for the inner one.
@usableFromInline
final class FlatMapFuture<Input: Sendable, Value: Sendable>: DerivedFuture<Value>,
    @unchecked Sendable
{
    /// Nil once called, or not needed any more.
    ///
    /// Belongs to the deliverer; see `Waiter.withdraw`.
    @usableFromInline
    @exclusivity(unchecked)
    var transform: (@Sendable (Input) throws -> Future<Value>)?

    @usableFromInline
    let location: SourceLocation

    @inlinable
    init(
        _ transform: @escaping @Sendable (Input) throws -> Future<Value>,
        at location: SourceLocation, deliver: @escaping Delivery
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
            let inner = try transform(source.storage.unsafelyUnwrapped)
            self.transform = nil
            follow(inner)
        } catch {
            self.transform = nil
            failDerived(Failure(error, thrownAt: location))
        }
    }

    override func withdraw() { transform = nil }
}

extension Future {
    /// Settles this derived future as another one does, now or when that settles.
    @inlinable
    final func follow(_ inner: Future<Value>) {
        if inner.isSettled, inner !== self {
            finishDerived(as: inner)
        } else {
            forward(from: inner) { waiter, source in
                unsafeDowncast(waiter, to: Future<Value>.self)
                    .finishDerived(as: unsafeDowncast(source, to: Future<Value>.self))
            }
        }
    }
}

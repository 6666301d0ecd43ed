extension Future {
    /// Continues with another future, made from the value.
    ///
    /// ```swift
    /// let orders = loadUser(7).flatMap { user in loadOrders(of: user) }
    /// ```
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, however often it
    /// calls itself, if it returns the future of the `flatMap` itself. (Twitter's futures and Scala's do the
    /// same; see Docs/Decisions/why-forwarding-futures-are-taken-out-of-the-chain.md.)
    ///
    /// - Parameters:
    ///   - transform: Called with the value, on the thread that settles this future, in the call context
    ///     of this line; not called after a failure. If it throws, the new future fails with that error. If
    ///     the new future is cancelled while this runs, that interest in the future it returns is given up at
    ///     once. If that future waits for the new one, over up to 64 steps, the new one fails with
    ///     ``FutureError/Code/cycle``.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles as the inner one does, or fails as this one does.
    @inlinable
    public final func flatMap<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(
            by: .flatMap(transform, CallerContext()), at: CodeLocation(fileID: fileID, line: line)
        ) { node, source in
            unsafeDowncast(node, to: TransformedFuture<Value, NewValue>.self)
                .receiveFlatMapped(unsafeDowncast(source, to: Future<Value>.self))
        }
    }
}

extension Future {
    /// Continues with an async closure, which gets the value.
    ///
    /// ```swift
    /// let orders = loadUser(7).flatMap { user in try await api.orders(of: user) }
    /// ```
    ///
    /// A closure that returns a future has the other `flatMap`: Swift takes this one only for a closure that awaits.
    ///
    /// - Parameters:
    ///   - transform: Called with the value in a task of its own, in the call context of this line; not called after a
    ///     failure. The task is cancelled when the new future is.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles as the closure ends, or fails as this one does.
    @_disfavoredOverload
    public final func flatMap<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) async throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMap(
            { value in Future<NewValue> { try await transform(value) } }, fileID: fileID, line: line
        )
    }
}

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
        transformed(by: FlatMap(body: transform), at: SourceLocation(fileID: fileID, line: line))
    }
}

@usableFromInline
struct FlatMap<Input: Sendable, Output: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Input) throws -> Future<Output>)?
    @usableFromInline let context = CallerContext()

    @inlinable init(body: @escaping @Sendable (Input) throws -> Future<Output>) { self.body = body }

    @inlinable
    func apply(to source: Future<Input>) throws -> Outcome<Output> {
        if let failure = source.failure { return .failure(failure) }
        guard let body else { preconditionFailure(Self.released) }
        return .future(try context.run { try body(source.storage.unsafelyUnwrapped) })
    }

    @inlinable mutating func release() { body = nil }
}

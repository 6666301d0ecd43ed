public import Dispatch

extension Future {
    /// Transforms the value.
    ///
    /// ```swift
    /// let name = loadProduct(7).map(\.name)
    /// ```
    ///
    /// - Parameters:
    ///   - transform: Called with the value, on the thread that settles this future; not called after a failure. If
    ///     it throws, the new future fails with that error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future of the transformed value. If this future fails, the new future fails with the same error.
    @inlinable
    public final func map<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        mapped(by: transform, at: CodeLocation(fileID: fileID, line: line))
    }

    /// Transforms the value, for code of the framework.
    ///
    /// If the closure throws, the failure has no origin, because a line of the framework would be of no use to a
    /// developer.
    @inlinable
    package final func mapWithoutOrigin<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> Future<NewValue> {
        mapped(by: transform, at: nil)
    }

    /// Adds a `map`; compiled in the module that uses it.
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

    /// Continues with another future, made from the value.
    ///
    /// ```swift
    /// let orders = loadUser(7).flatMap { user in loadOrders(of: user) }
    /// ```
    ///
    /// A function may call itself from such a closure any number of times, in constant stack and memory. This holds
    /// only if the function returns exactly the future that `flatMap` returns. (Twitter's and Scala's futures allow
    /// such loops, too; see Docs/Decisions/Futures/why-forwarding-futures-are-taken-out-of-the-chain.md.)
    ///
    /// - Parameters:
    ///   - transform: Called with the value, on the thread that settles this future, in the call context in which you
    ///     called `flatMap`; not called after a failure. If the closure throws, the new future fails with that error.
    ///     If the new future is cancelled while the closure runs, the interest in the closure's future is given up as
    ///     soon as the closure returns. If the closure's future waits for the new future, directly or over up to 64
    ///     steps, the new future fails with ``FutureError/Code/cycle``.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles with the result of the closure's future. If this future fails, the new future
    ///   fails with the same error.
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

    /// Continues with an async closure, which gets the value.
    ///
    /// ```swift
    /// let orders = loadUser(7).then { user in try await api.orders(of: user) }
    /// ```
    ///
    /// - Parameters:
    ///   - transform: Called with the value in its own task, in the call context in which you called `flatMap`; not
    ///     called after a failure. Cancelling the new future cancels the task.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles when the closure ends. If this future fails, the new future fails with the same
    ///   error.
    public final func then<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) async throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMap(
            { value in Future<NewValue> { try await transform(value) } }, fileID: fileID, line: line
        )
    }

    /// Keeps a value only if it meets a condition.
    ///
    /// ```swift
    /// loadProduct(7).filter { $0.isAvailable }
    /// ```
    ///
    /// - Parameters:
    ///   - predicate: Called with the value, on the thread that settles this future. If it throws, the new future
    ///     fails with that error.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Returns: The same value, or a failure with ``FutureError/Code/notEnsured`` if the predicate returns false. If
    ///   this future fails, the new future fails with the same error.
    public final func filter(
        _ predicate: @escaping @Sendable (Value) throws -> Bool,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .filter(predicate), at: CodeLocation(fileID: fileID, line: line))
    }

    /// Replaces an error with a value that the closure returns at once.
    ///
    /// To ask a second source, use ``flatMapError(_:fileID:line:)``, which waits for that source.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after a success.
    ///     `CancellationError` is an error like any other here. If the closure throws, the new future fails with
    ///     the thrown error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the value made from its error.
    public final func recover(
        _ transform: @escaping @Sendable (any Error) throws -> Value,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .recover(transform), at: CodeLocation(fileID: fileID, line: line))
    }

    /// Continues after an error with another future, such as a retry or a second source.
    ///
    /// If you have the value at once, use ``recover(_:fileID:line:)``, which needs no future.
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, as with
    /// `flatMap(_:fileID:line:)`.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future, in the call context in which you
    ///     called `flatMapError`; not called after a success. If it throws, the new future fails with the thrown error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or the result of the future made from its error.
    public final func flatMapError(
        _ transform: @escaping @Sendable (any Error) throws -> Future<Value>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(
            by: .flatMapError(transform, CallerContext()),
            at: CodeLocation(fileID: fileID, line: line))
    }

    /// Transforms the error.
    ///
    /// - Parameters:
    ///   - transform: Called with the error, on the thread that settles this future; not called after a success. If
    ///     it throws, the new future fails with the thrown error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The value of this future, or a failure with the transformed error.
    public final func mapError(
        _ transform: @escaping @Sendable (any Error) throws -> any Error,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        transformed(by: .mapError(transform), at: CodeLocation(fileID: fileID, line: line))
    }

    /// Continues with another future, made from the value or the error.
    ///
    /// - Parameters:
    ///   - transform: Called like the closure of `flatMap(_:fileID:line:)`, but with the result, and also after a
    ///     failure.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: A future that settles with the result of the closure's future.
    public final func flatMapResult<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Result<Value, any Error>) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        transformed(
            by: .flatMapResult(transform, CallerContext()),
            at: CodeLocation(fileID: fileID, line: line))
    }

    /// Continues with another future after some results, and keeps the other results unchanged.
    ///
    /// - Parameter next: Called like the closure of ``flatMapResult(_:fileID:line:)``. To keep the result, it
    ///   returns nil, which allocates no object.
    /// - Returns: A future with the result of the future from `next`, or else with this future's result.
    package final func flatMapSomeResults(
        _ next: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?
    ) -> Future<Value> {
        transformed(by: .flatMapSomeResults(next, CallerContext()), at: nil)
    }

    /// Continues with another future after some results, in the context of the code that settles this future.
    ///
    /// Binding no context saves allocations. So `next` itself binds what a call needs that it makes.
    ///
    /// - Parameter next: Like that of ``flatMapSomeResults(_:)``. It gets nil if the returned future was given up first;
    ///   what it returns then isn't used.
    /// - Returns: A future with the result of the future from `next`, or else with this future's result.
    package final func flatMapAtEnd(
        _ next: @escaping @Sendable (Result<Value, any Error>?) -> Future<Value>?
    ) -> Future<Value> {
        transformed(by: .flatMapAtEnd(next), at: nil)
    }

    /// Runs a closure at the end, after a success or a failure.
    ///
    /// ```swift
    /// loadProduct(7).always { spinner.stop() }.map(\.name)
    /// ```
    ///
    /// - Parameter body: Called once, on the thread that settles this future, before the observers and transforms
    ///   of the returned future. If the returned future is cancelled or loses all its waiters first, the closure is
    ///   called in the same way as a handler of ``Promise/onCancel(_:)``.
    /// - Returns: A future with the same result. You may ignore it: the closure runs anyway.
    @discardableResult
    public final func always(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        transformed(by: .always(body), at: nil)
    }

    /// Runs a closure with the value.
    ///
    /// - Parameter body: Called once, on the thread that settles this future. It isn't called after a failure, or
    ///   if the returned future is cancelled first.
    /// - Returns: A future with the same result. You may ignore it: the closure runs anyway.
    @discardableResult
    public final func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        transformed(by: .onSuccess(body), at: nil)
    }

    /// Runs a closure with the error.
    ///
    /// - Parameter body: Called once, on the thread that settles this future. It isn't called after a success, or
    ///   if the returned future is cancelled first.
    /// - Returns: A future with the same result. You may ignore it: the closure runs anyway.
    @discardableResult
    public final func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        transformed(by: .onFailure(body), at: nil)
    }

    /// Runs a closure with the result at the end, after a success or a failure.
    ///
    /// - Parameter body: Called once, like the closure of ``always(_:)``, but with the result. If the returned future
    ///   is given up first, the closure gets `CancellationError`.
    /// - Returns: A future with the same result.
    package final func onEnd(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        transformed(by: .onEnd(body), at: nil)
    }

    /// Replaces some results, and keeps the others unchanged.
    ///
    /// - Parameter body: Called once, like the closure of ``onEnd(_:)``. It returns nil to keep the result. What it
    ///   returns after the returned future was given up isn't used.
    package final func replacingAtEnd(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Result<Value, any Error>?
    ) -> Future<Value> {
        transformed(by: .replaceAtEnd(body), at: nil)
    }
}

// MARK: - On a queue

extension Future {
    /// Transforms the value on a queue, even if the future has settled; see ``map(_:fileID:line:)``.
    ///
    /// ```swift
    /// let image = loadProduct(7).map(on: queue) { product in render(product) }
    /// ```
    ///
    /// If the new future is cancelled before the queue calls the closure, the closure isn't called. For another
    /// future, return it from the closure and add `.flatMap { $0 }`. On the main actor, write
    /// `then { @MainActor product in … }`.
    public final func map<NewValue: Sendable>(
        on queue: DispatchQueue, _ transform: @escaping @Sendable (Value) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMap(
            { value in
                let turn = InternalPromise<Void>()
                // The transform is registered before the queue resolves the promise. Otherwise this thread might run
                // the closure.
                let future = turn.flatMap(
                    { Future<NewValue>(value: try transform(value)) }, fileID: fileID, line: line)
                queue.async { turn.resolve() }
                return future
            }, fileID: fileID, line: line)
    }
}

extension Future {
    /// Runs a closure at the end, whatever the result.
    ///
    /// ```swift
    /// loadProduct(7).always { spinner.stop() }.map(\.name)
    /// ```
    ///
    /// - Parameter body: Called once: on the thread that settles this future, before anything that
    ///   derives from the returned future; or, if that future is cancelled first, or has lost all
    ///   its waiters, where a handler of ``Promise/onCancel(_:)`` would run.
    /// - Returns: A future with the same result. It may be left unused: the closure runs nevertheless.
    @discardableResult
    @inlinable
    public final func always(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        transformed(by: Always(body: body), at: nil)
    }

    /// Runs a closure with the value.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a failure, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs nevertheless.
    @discardableResult
    @inlinable
    public final func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        transformed(by: OnSuccess(body: body), at: nil)
    }

    /// Runs a closure with the error.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a success, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs nevertheless.
    @discardableResult
    @inlinable
    public final func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        transformed(by: OnFailure(body: body), at: nil)
    }

    /// Runs a closure with the result, at the end, whatever the result.
    ///
    /// - Parameter body: Called once, as that of ``always(_:)``, with the result; with
    ///   `CancellationError` if the future returned is given up first.
    /// - Returns: A future with the same result.
    @inlinable
    package final func onEnd(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        transformed(by: OnEnd(body: body), at: nil)
    }
}

@usableFromInline
struct Always<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable () -> Void)?

    @inlinable init(body: @escaping @Sendable () -> Void) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) -> Outcome<Value> {
        body?()
        return .unchanged
    }

    @inlinable mutating func release() { body = nil }

    @inlinable func giveUp() { body?() }
}

@usableFromInline
struct OnSuccess<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Value) -> Void)?

    @inlinable init(body: @escaping @Sendable (Value) -> Void) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) -> Outcome<Value> {
        if source.failure == nil { body?(source.storage.unsafelyUnwrapped) }
        return .unchanged
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct OnFailure<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (any Error) -> Void)?

    @inlinable init(body: @escaping @Sendable (any Error) -> Void) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) -> Outcome<Value> {
        if let failure = source.failure { body?(failure.error) }
        return .unchanged
    }

    @inlinable mutating func release() { body = nil }
}

@usableFromInline
struct OnEnd<Value: Sendable>: Transform {
    @usableFromInline var body: (@Sendable (Result<Value, any Error>) -> Void)?

    @inlinable
    init(body: @escaping @Sendable (Result<Value, any Error>) -> Void) { self.body = body }

    @inlinable
    func apply(to source: Future<Value>) -> Outcome<Value> {
        body?(source.settledResult)
        return .unchanged
    }

    @inlinable mutating func release() { body = nil }

    @inlinable func giveUp() { body?(.failure(CancellationError())) }
}

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
    public final func always(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        transformed(by: .always(body), at: nil)
    }

    /// Runs a closure with the value.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a failure, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs nevertheless.
    @discardableResult
    public final func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        transformed(by: .onSuccess(body), at: nil)
    }

    /// Runs a closure with the error.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a success, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs nevertheless.
    @discardableResult
    public final func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        transformed(by: .onFailure(body), at: nil)
    }

    /// Runs a closure with the result, at the end, whatever the result.
    ///
    /// - Parameter body: Called once, as that of ``always(_:)``, with the result; with
    ///   `CancellationError` if the future returned is given up first.
    /// - Returns: A future with the same result.
    package final func onEnd(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        transformed(by: .onEnd(body), at: nil)
    }
}

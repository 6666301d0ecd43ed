extension Future {
    /// Runs a closure when the future has settled, whatever the result.
    ///
    /// - Parameter body: Called once, on the thread that settles this future, before anything that
    ///   derives from the future returned.
    /// - Returns: A future with the same result. It may be left unused: the closure runs all the same.
    ///   Cancelling it gives up the interest in this future, as with any other transform, and then
    ///   the closure is not called.
    @discardableResult
    public final func always(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        .step(after: self, .always(body), #fileID, #line)
    }

    /// Runs a closure with the value.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a failure.
    /// - Returns: A future with the same result, as with ``always(_:)``.
    @discardableResult
    public final func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        .step(after: self, .onSuccess(body), #fileID, #line)
    }

    /// Runs a closure with the error.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a success.
    /// - Returns: A future with the same result, as with ``always(_:)``.
    @discardableResult
    public final func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        .step(after: self, .onFailure(body), #fileID, #line)
    }
}

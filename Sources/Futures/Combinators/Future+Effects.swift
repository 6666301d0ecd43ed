extension Future {
    /// Runs a closure at the end, whatever the result.
    ///
    /// ```swift
    /// loadProduct(7).always { spinner.stop() }.map(\.name)
    /// ```
    ///
    /// - Parameter body: Called once: on the thread that settles this future, before anything that
    ///   derives from the future returned; or, if that one is cancelled first, or has lost all who
    ///   waited for it, on the thread that cancels.
    /// - Returns: A future with the same result. It may be left unused: the closure runs all the same.
    @discardableResult
    @inlinable
    public final func always(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        .step(after: self, .always(body), #fileID, #line)
    }

    /// Runs a closure with the value.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a failure, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs all the same.
    @discardableResult
    @inlinable
    public final func onSuccess(_ body: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        .step(after: self, .onSuccess(body), #fileID, #line)
    }

    /// Runs a closure with the error.
    ///
    /// - Parameter body: Called once, on the thread that settles this future; not after a success, and
    ///   not if the future returned is cancelled first.
    /// - Returns: A future with the same result. It may be left unused: the closure runs all the same.
    @discardableResult
    @inlinable
    public final func onFailure(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        .step(after: self, .onFailure(body), #fileID, #line)
    }
}

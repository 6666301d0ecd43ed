import PledgeFutures

extension Future {
    /// Runs a closure at the end of this future, or when it is given up: at once if it has ended.
    ///
    /// It is inlined, so that a future that has ended needs no closure.
    @inline(__always)
    func atEnd(_ body: @escaping @Sendable () -> Void) -> Future<Value> {
        if isSettled {
            body()
            return self
        }
        return onEnd { _ in body() }
    }

    /// The same with the result, for the path of calls that are pending or have failed.
    func atEnd(
        with body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        if let result {
            body(result)
            return self
        }
        return onEnd(body)
    }
}

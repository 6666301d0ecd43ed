extension Future {
    /// Runs a closure at the end, whatever the result, and tells it the result.
    ///
    /// - Parameter body: Called once, as that of ``always(_:)``, with the result; with
    ///   `CancellationError` if the future returned is given up first.
    /// - Returns: A future with the same result.
    package final func onEnd(
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Future<Value> {
        .step(after: self, .onEnd(body), #fileID, #line)
    }

    /// Goes on with another future after some results, and keeps the others as they are.
    ///
    /// A function that calls itself from such a closure runs in constant stack and memory, as with
    /// ``flatMap(_:fileID:line:)``.
    ///
    /// - Parameter next: Called with the result, on the thread that settles this future; not if the
    ///   future returned is given up first. Nil keeps the result.
    /// - Returns: What the future from `next` settles with, or else this one's result.
    package final func continued(
        _ next: @escaping @Sendable (Result<Value, any Error>) -> Future<Value>?
    ) -> Future<Value> {
        .step(after: self, .continued(next), #fileID, #line)
    }

    /// Fails with an error of the caller's if there is no result in time.
    ///
    /// Otherwise as ``timeout(_:on:fileID:line:)``.
    ///
    /// - Parameter error: Makes the error, on the scheduler's thread; also if the result comes at that
    ///   very moment, and the error is not used.
    package final func timeout(
        _ duration: Duration, on scheduler: some Scheduler,
        failingWith error: @escaping @Sendable () -> any Error
    ) -> Future<Value> {
        if isSettled { return self }
        let future = TimedFuture<Value>(failingWith: error) { waiter, source in
            unsafeDowncast(waiter, to: TimedFuture<Value>.self)
                .receive(unsafeDowncast(source, to: Future<Value>.self))
        }
        return timed(future, duration, on: scheduler)
    }
}

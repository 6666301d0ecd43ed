extension Future {
    /// Starts a future, and tries again with another future if the first one fails, up to a number of attempts.
    ///
    /// ```swift
    /// let connected = Future.retry(attempts: 3, after: { .seconds($0) }) { connect() }
    /// ```
    ///
    /// - Parameters:
    ///   - attempts: The largest number of attempts. Less than 1 is a programming error and traps.
    ///   - delay: Returns the time to wait before another attempt. It gets the number of attempts that have failed: 1,
    ///     then 2, and so on. By default, there is no wait.
    ///   - scheduler: The clock for the delays.
    ///   - isWorthRetrying: Returns whether another attempt may help. By default true, except for
    ///     `CancellationError`.
    ///   - step: Starts an attempt. The first attempt starts on this thread. A later attempt starts on the thread on
    ///     which the previous attempt failed or, after a delay, on the scheduler's thread. All attempts start in the
    ///     call context in which you called `retry`. If `step` throws, the attempt has failed with that error.
    /// - Returns: The first value, or the last error. If you cancel the returned future, it gives up the current
    ///   attempt and starts no more.
    public static func retry(
        attempts: Int,
        after delay: @escaping @Sendable (_ failures: Int) -> Duration = { _ in .zero },
        on scheduler: some FutureScheduler = .live,
        where isWorthRetrying: @escaping @Sendable (any Error) -> Bool = {
            !($0 is CancellationError)
        },
        _ step: @escaping @Sendable () throws -> Future<Value>
    ) -> Future<Value> {
        precondition(attempts >= 1, "Future.retry: attempts is less than 1.")
        @Sendable func attempt(_ number: Int) -> Future<Value> {
            made(by: step).flatMapSomeResults { result in
                guard case .failure(let error) = result, number < attempts, isWorthRetrying(error)
                else { return nil }
                let pause = delay(number)
                if pause <= .zero { return attempt(number + 1) }
                return Future<Void>(value: ()).delay(pause, on: scheduler)
                    .flatMap { attempt(number + 1) }
            }
        }
        return attempt(1)
    }

    private static func made(by step: () throws -> Future<Value>) -> Future<Value> {
        do { return try step() } catch { return Future(error: error) }
    }
}

internal import Dispatch

extension Future {
    /// The results of several futures, in the order in which they settle.
    ///
    /// ```swift
    /// for await result in Future.asCompleted([7, 8, 9].map(loadProduct)) { show(result) }
    /// ```
    ///
    /// - Parameter futures: The futures.
    /// - Returns: A sequence of as many results as there are futures. If the loop over it ends early, the
    ///   interest in the others is given up, on another thread.
    public static func asCompleted<Input: Future<Value>>(
        _ futures: [Input]
    ) -> AsyncStream<Result<Value, any Error>> {
        AsyncStream { continuation in
            let left = Locked(futures.count)
            if futures.isEmpty { continuation.finish() }
            let observations = futures.map { future in
                future.observed { settled in
                    continuation.yield(settled.settledResult)
                    left.withLock { $0 -= 1 }
                    if left.withLock({ $0 == 0 }) { continuation.finish() }
                }
            }
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                // On another thread: here the runtime may hold a lock of the cancelled task.
                DispatchQueue.global().async { observations.forEach { $0.abort(with: .cancelled) } }
            }
        }
    }
}

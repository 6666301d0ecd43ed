public import PledgeFutures

extension Effect {
    /// A future whose result is not dispatched.
    ///
    /// ```swift
    /// .fireAndForget(analytics.track("opened"))
    /// ```
    ///
    /// - Parameters:
    ///   - future: The future. The expression is not evaluated before the store begins the effect. It is
    ///     cancelled when the effect is replaced or cancelled, or the store is released.
    ///   - handler: Called with the error if the future fails, on the thread that settles it; not with a
    ///     `CancellationError`. Without it, the store's `onFailure` is called. `{ _ in }` ignores failures.
    public static func fireAndForget<Value: Sendable>(
        _ future: @autoclosure @escaping @Sendable () -> Future<Value>,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> Effect {
        Effect(
            kind: .run { _ in
                let end = future().map { _ in }
                guard let handler else { return end }
                return end.recover { if !($0 is CancellationError) { handler($0) } }
            })
    }

    /// An asynchronous operation whose result is not dispatched.
    ///
    /// - Parameters:
    ///   - priority: The priority of the operation's task; nil for that of the thread that begins it.
    ///   - operation: Runs in a task of its own, which is cancelled when the effect is.
    ///   - handler: Called with the error that the operation threw, as with ``fireAndForget(_:catch:)``.
    public static func fireAndForget(
        priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Void,
        catch handler: (@Sendable (any Error) -> Void)? = nil
    ) -> Effect {
        fireAndForget(Future(priority: priority, operation), catch: handler)
    }
}

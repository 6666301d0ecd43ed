internal import PledgeFutures

extension Effect {
    /// Dispatches the events of an effect that has many, while it is under way.
    public struct Send: Sendable {
        private let send: @Sendable (Event) -> Void

        init(_ send: @escaping @Sendable (Event) -> Void) { self.send = send }

        /// Dispatches an event to the effect's store.
        ///
        /// It may be called on any thread, and behaves as ``Store/dispatch(event:)``. Nothing happens if the
        /// effect has ended, was replaced or cancelled, or if the store has been released. An event that has
        /// entered the middleware before that is reduced.
        ///
        /// - Parameter event: The event.
        public func callAsFunction(_ event: Event) { send(event) }
    }

    /// An asynchronous operation that may dispatch any number of events while it runs.
    ///
    /// ```swift
    /// .run { send in
    ///     for try await line in chat.lines { send(.said(line)) }
    ///     send(.left)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the operation's task; nil for that of the thread that begins it.
    ///   - operation: Runs in a task of its own. The effect has ended when it returns or throws. When the
    ///     effect is replaced or cancelled, or the store is released, the task is cancelled.
    ///   - handler: Called with the error that the operation threw, in the same task, before the effect
    ///     ends; not with a `CancellationError`, and not if the effect was cancelled. Without it, the store's
    ///     `onFailure` is called.
    public static func run(
        priority: TaskPriority? = nil,
        _ operation: @escaping @Sendable (_ send: Send) async throws -> Void,
        catch handler: (@Sendable (_ error: any Error, _ send: Send) async -> Void)? = nil
    ) -> Effect {
        Effect(
            kind: .run { send in
                Future(priority: priority) {
                    do {
                        try await operation(send)
                    } catch {
                        guard let handler, !(error is CancellationError), !Task.isCancelled else {
                            throw error
                        }
                        await handler(error, send)
                    }
                }
            })
    }
}

package import PledgeFutures

/// The context of a call and its caller's task-local values, for work that begins later, on another thread.
///
/// Making one costs about a microsecond in a task: a policy makes one when the call has to wait.
package struct KeptCaller: Sendable {
    package let context: CallContext
    /// Nil on the caller's own thread.
    private let task: CallersTask?

    /// Keeps those of the code that makes it.
    package init(_ context: CallContext = .current) {
        self.context = context
        task = CallersTask()
    }

    /// Keeps those of the code that makes it, for work after a future.
    package init(_ context: CallContext = .current, until future: Future<some Sendable>) {
        self.context = context
        task = future.isSettled ? nil : CallersTask()
    }

    /// Runs work in the context and with the values, on this thread.
    ///
    /// No two threads may call it at once.
    package func run<Output>(_ work: () -> Output) -> Output {
        guard let task else { return context.run(work) }
        return task.run { context.run(work) }
    }
}

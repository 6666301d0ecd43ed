internal import CPledgeFutures

/// Keeps tasks on the thread of a simulation: those that a ``Future`` starts, and the work of their cancellation.
///
/// A thread has one while it runs a simulation, and none otherwise. Tasks that run on that thread see it as well.
package final class TaskHome: Sendable {
    let executor: any TaskExecutor
    let runLater: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Makes one.
    ///
    /// - Parameters:
    ///   - executor: Where tasks run.
    ///   - runLater: Runs a closure after the code that passes it, which may hold a lock of the runtime.
    package init(
        executor: any TaskExecutor,
        runLater: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.executor = executor
        self.runLater = runLater
    }

    /// The calling thread's one.
    static var current: TaskHome? {
        cfutures_current_thread().pointee.home
            .map { Unmanaged<TaskHome>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a closure with this as the calling thread's one.
    package func bind<Output>(_ body: () throws -> Output) rethrows -> Output {
        let thread = cfutures_current_thread()
        let former = thread.pointee.home
        thread.pointee.home = Unmanaged.passUnretained(self).toOpaque()
        defer { thread.pointee.home = former }
        return try withExtendedLifetime(self) { try body() }
    }
}

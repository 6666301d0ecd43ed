import Dispatch

/// Runs work that takes seconds on a thread of its own.
///
/// Swift's tasks share as many threads as there are processors, in order of arrival. If thousands of tests
/// run at the same time, a test with a long computation delays all tests that wait for a thread; the system
/// divides the processors between threads.
///
/// - Parameter body: Called once.
/// - Returns: The result of the function.
package func onOwnThread<Output: Sendable>(
    _ body: @Sendable () throws -> Output
) async rethrows -> Output {
    try await withTaskExecutorPreference(OwnThread()) { try body() }
}

private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "TestSupport.OwnThread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

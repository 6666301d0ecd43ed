import Dispatch

/// Runs what takes seconds on a thread of its own.
///
/// Swift's tasks share as many threads as there are processors, in the order in which they come. Where thousands
/// of tests run at once, a test that computes for long holds up all that wait for a turn; the system shares out
/// the processors among threads.
///
/// - Parameter body: Called once.
/// - Returns: What the function returns.
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

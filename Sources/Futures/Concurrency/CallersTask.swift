/// The task-local values of a caller, for work that begins later, on another thread.
///
/// Work that waits for the end of another call would otherwise begin with that call's values: its user's token, its
/// log's metadata. A task copies the values of its creator. This makes one whose executor keeps the job, and runs
/// it when the work begins. That takes about a microsecond if the caller is in a task, and nothing if it is
/// not: work then begins with no values.
///
/// Unchecked: no two threads use it at once, which its users order by a lock or by the end of the last work.
package final class CallersTask: @unchecked Sendable {
    /// Keeps one job until it is run.
    ///
    /// Unchecked: the job is set before another thread can know this object, and is run once.
    private final class Executor: TaskExecutor, @unchecked Sendable {
        private var job: UnownedJob?
        private var work: (() -> Void)?

        func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

        /// Runs the job with some work, on this thread.
        func run(_ work: (() -> Void)?) {
            self.work = work
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }

        func runWork() {
            work?()
            work = nil
        }
    }

    private let isInTask: Bool
    /// The one that has the caller's values; nil if the caller is in no task.
    private var kept: Executor?

    /// Keeps the values of the code that makes it.
    package init() {
        isInTask = withUnsafeCurrentTask { $0 != nil }
        if isInTask { keep() }
    }

    /// Runs work with the caller's values, on this thread.
    package func run<Output>(_ work: () -> Output) -> Output {
        var output: Output?
        withoutActuallyEscaping(work) { work in
            let next = kept ?? Self.withoutValues()
            next.run {
                // For the next time, by the values that are known here again.
                if self.isInTask { self.keep() }
                output = work()
            }
        }
        guard let output else { preconditionFailure("the work has run") }
        return output
    }

    deinit {
        // A job that is never run would never be released.
        kept?.run(nil)
    }

    private func keep() {
        let executor = Executor()
        Task(executorPreference: executor) { executor.runWork() }
        kept = executor
    }

    private static func withoutValues() -> Executor {
        let executor = Executor()
        Task.detached(executorPreference: executor) { executor.runWork() }
        return executor
    }
}

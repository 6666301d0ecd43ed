import Dispatch

/// Runs the jobs of one task on a queue of its own.
///
/// Swift's tasks share as many threads as there are processors. If hundreds of tests run at once, a task that
/// has waited resumes after all of them: too late for a check of time. The system schedules the threads of
/// queues, so that each makes progress.
final class QueueTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "PledgeTesting.QueueTaskExecutor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import Dispatch

/// Runs the jobs of one task on a queue of its own.
///
/// Swift's tasks share as many threads as there are processors. Where hundreds of tests run at once, a
/// task that waited for something comes after all of them when it is there: too late for what has to be in
/// time. The threads of queues are shared out by the system, which lets each go on.
final class OwnQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "PledgeTesting.OwnQueue")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

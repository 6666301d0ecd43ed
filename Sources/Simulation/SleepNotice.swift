#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
@_spi(ExperimentalScheduling) import _Concurrency

// `Task.sleep` asks the task's executor to wake it, which the runtime's own executors would do in real time. This
// notices such a sleep when it begins. With a toolchain that lacks the protocol, it's noticed when it ends.
@_spi(ExperimentalScheduling)
extension SimulationScheduler: SchedulingExecutor {
    /// Notices that a task sleeps for a time, and wakes it at the end of that time in the simulation.
    public func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        noteSleep(UnownedJob(job), delay as? Duration ?? .zero)
    }

    /// Notices that a task sleeps until an instant, and wakes it after as long in the simulation.
    public func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        noteSleep(UnownedJob(job), clock.now.duration(to: instant) as? Duration ?? .zero)
    }

    private func noteSleep(_ job: UnownedJob, _ delay: Duration) {
        noteError(SimulationError(.taskOnAnotherThread))
        schedule(after: delay) { [self] in add(job, onMain: false) }
    }
}
#endif

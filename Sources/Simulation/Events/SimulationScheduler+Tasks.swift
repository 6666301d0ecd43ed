import PledgeFutures

extension SimulationScheduler: TaskExecutor {
    /// Makes a task's next step an event at the present instant, after those that are there already.
    ///
    /// The tasks that a `Future` starts in a simulation run here, with their child tasks, and the actors that they call.
    /// For a task without a future, write `Task(executorPreference: world.scheduler) { … }`.
    ///
    /// A step that comes from another thread, such as that after `Task.sleep(for:)`, is an error of the run
    /// (``SimulationError/Code/taskOnAnotherThread``). It runs when the simulation has ended; so does what tasks still do
    /// then. The simulation cancels a task that calls the fleet or sets a timer after the end: a loop must end by that.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnItsThread, !isClosed {
            addWork { [self] in run(job) }
        } else if !escapes.withLock({ $0.keep(job) }) {
            globalConcurrentExecutor.enqueue(ExecutorJob(job))
        }
    }

    /// What keeps the tasks of futures here.
    var home: TaskHome {
        TaskHome(executor: self) { [self] in addWork($0) }
    }

    /// Runs the jobs that other threads have enqueued.
    ///
    /// - Returns: Whether there were any. If not, all further ones run elsewhere.
    func runKeptJobs() -> Bool {
        let jobs = escapes.withLock { $0.takeJobs() }
        for job in jobs { run(job) }
        return !jobs.isEmpty
    }

    /// Cancels the task that goes on after the end of the simulation, if one does.
    func cancelPresentTask() {
        if isInTask { withUnsafeCurrentTask { $0?.cancel() } }
    }

    private func addWork(_ work: @escaping () -> Void) { addNow(TaskWork(work)) }

    private func run(_ job: UnownedJob) {
        let wasInTask = isInTask
        isInTask = true
        job.runSynchronously(on: asUnownedTaskExecutor())
        isInTask = wasInTask
    }
}

/// What has left a simulation.
struct Escapes {
    private(set) var count = 0
    private(set) var first: SimulationError?
    /// Jobs of other threads: run at the end, since a task that is never resumed would never be freed.
    private var jobs: [UnownedJob] = []
    private var isClosed = false

    /// Notes an error, unless the run is over.
    mutating func note(_ error: SimulationError) {
        if isClosed { return }
        count += 1
        if first == nil { first = error }
    }

    /// Keeps a job for the end.
    ///
    /// - Returns: False if the end has been.
    fileprivate mutating func keep(_ job: UnownedJob) -> Bool {
        if isClosed { return false }
        note(SimulationError(.taskOnAnotherThread))
        jobs.append(job)
        return true
    }

    fileprivate mutating func takeJobs() -> [UnownedJob] {
        if jobs.isEmpty { isClosed = true }
        defer { jobs = [] }
        return jobs
    }
}

/// Work of a task, or of its cancellation, which happens in any case.
private final class TaskWork: SimulatedEvent {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    override func happen() { work.take()?() }

    override func discard() { happen() }
}

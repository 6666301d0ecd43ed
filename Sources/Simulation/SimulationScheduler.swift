public import PledgeFutures
import PledgeServices
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#elseif canImport(Darwin)
import Darwin
#endif

/// The clock and the event queue of a simulation.
///
/// A simulation runs entirely on the thread that runs the scenario. This includes the tasks of a `Future`, and tasks
/// that have this scheduler as their executor. Work that leaves the thread, such as a `Task { }` or a Dispatch queue,
/// comes back at an undefined instant. If such work schedules an action, the action doesn't run, and the run gets a
/// ``SimulationRun/error``. The run also gets an error if the stack uses the live scheduler or the system's random
/// numbers, for example because the client's `scheduler` or `random` wasn't set.
public final class SimulationScheduler: FutureScheduler, @unchecked Sendable {
    // Unchecked: other threads use only the constant `owner`, the atomic, and what the lock guards. The rest belongs to
    // the owner's thread. `schedule`, `enqueue` and a timer's `cancel` check the thread; everything else runs in the
    // simulation's events.
    private let owner: ThreadIdentity
    /// The test that this is the clock of; nil in a simulation.
    private let test: (any VirtualTest)?
    private let instant = Atomic<Nanoseconds>(0)
    let escapes = Locked(Escapes())
    private let queue = EventQueue()
    /// How many events have happened.
    private(set) var happened = 0
    private var isOver = false
    /// True once the simulation has ended and all tasks have run their last steps.
    private(set) var isClosed = false
    var isInTask = false

    init() {
        owner = .current
        test = nil
    }

    /// Creates the clock of a test, whose steps may run on several threads, one after the other.
    package init(for test: any VirtualTest) {
        owner = .current
        self.test = test
    }

    /// The present instant: how long the simulation has run, on its own clock.
    public var now: SchedulerInstant {
        SchedulerInstant(offset: .nanoseconds(instant.load(ordering: .relaxed)))
    }

    /// Runs an action once, after a delay in the simulation's time.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        guard isOnItsThread else {
            noteError(SimulationError(.actionOnAnotherThread))
            return SimulatedTimer(of: nil, action: nil)
        }
        if isOver { cancelPresentTask() }
        let timer = SimulatedTimer(of: self, action: action)
        add(timer, after: max(Nanoseconds(delay), 0))
        return timer
    }

    /// Records the error of work that has left the simulation, for another thread, real time or chance.
    func noteError(_ error: SimulationError) {
        if let test { return test.noteEscape(error.code) }
        escapes.withLock { $0.noteError(error) }
    }

    /// In nanoseconds.
    package var time: Int64 { instant.load(ordering: .relaxed) }

    /// Runs an action as a step of a test, if the calling thread runs a task of it.
    fileprivate func move(_ action: @escaping @Sendable () -> Void) -> Bool {
        test?.move(action) ?? false
    }

    var isOnItsThread: Bool { test?.isOnItsThread ?? (owner == .current) }

    /// Adds an event, unless the simulation is over; call it on the owner's thread.
    func add(_ event: SimulatedEvent, after delay: Nanoseconds) {
        if isOver { return }
        queue.add(event, at: time.adding(delay))
    }

    /// Adds an event at the present instant, even after the end; call it on the owner's thread.
    func addNow(_ event: SimulatedEvent) { queue.addNow(event) }

    var isQuiet: Bool { queue.isEmpty }

    /// Runs all events up to an instant, and sets the clock to it.
    package func run(until end: Int64) {
        while runNext(until: end) {}
        instant.store(end, ordering: .relaxed)
    }

    /// Runs the next event if it isn't later than `end`; returns false if it is, or if there is none.
    package func runNext(until end: Int64) -> Bool {
        guard let (instant, event) = queue.next(from: time, until: end) else { return false }
        if instant != time { self.instant.store(instant, ordering: .relaxed) }
        happened += 1
        event.happen()
        return true
    }

    /// Ends the simulation.
    ///
    /// All events are discarded, because each holds this scheduler. Only the last steps of tasks are added from now on.
    ///
    /// - Parameter giveUp: Cancels whatever waits for events.
    package func endRun(_ giveUp: () -> Void) {
        isOver = true
        discardEvents()
        giveUp()
        repeat { discardEvents() } while runKeptJobs()
        isClosed = true
    }

    private func discardEvents() {
        while let (_, event) = queue.next(from: time, until: .max) { event.discard() }
    }

    /// Call it on the owner's thread.
    func remove(_ event: SimulatedEvent) { queue.remove(event) }
}

/// A test in virtual time, as its scheduler sees it.
package protocol VirtualTest: Sendable {
    /// True if the calling thread runs a step of the test.
    var isOnItsThread: Bool { get }

    /// Records that an action has left the test's steps.
    func noteEscape(_ code: SimulationError.Code)

    /// Runs an action as a step of the test.
    ///
    /// - Returns: False if the calling thread runs no task of the test, or if the test has ended.
    func move(_ action: @escaping @Sendable () -> Void) -> Bool

    /// Takes a step of a task with this executor; called on any thread.
    ///
    /// - Returns: False if the test has ended.
    func takeJob(_ job: UnownedJob) -> Bool

    /// Called before a watched step.
    func willRun(_ job: UnownedJob)

    /// Called after a watched step.
    func didRun(_ job: UnownedJob)
}

private final class SimulatedTimer: SimulatedEvent, ScheduledAction, @unchecked Sendable {
    // Unchecked: other threads read only the constant `scheduler`. The rest belongs to the scheduler's thread, which
    // `cancel` checks.
    private let scheduler: SimulationScheduler?
    private var action: (@Sendable () -> Void)?

    init(of scheduler: SimulationScheduler?, action: (@Sendable () -> Void)?) {
        self.scheduler = scheduler
        self.action = action
    }

    override func happen() { action.take()?() }

    override func discard() { action = nil }

    func cancel() {
        guard let scheduler else { return }
        guard scheduler.isOnItsThread else {
            if !scheduler.move({ self.cancel() }) {
                scheduler.noteError(SimulationError(.actionOnAnotherThread))
            }
            return
        }
        guard let action = action.take() else { return }
        scheduler.remove(self)
        // The action is released only now, after the queue has removed the timer, because its deinits may schedule or
        // cancel.
        withExtendedLifetime(action) {}
    }
}

extension SimulationScheduler: TaskExecutor {
    /// Makes a task's next step an event at the present instant, after the events already there.
    ///
    /// The tasks that a `Future` starts in a simulation run here, together with their child tasks and the actors that
    /// they call. For a task without a future, write `Task(executorPreference: world.scheduler) { … }`.
    ///
    /// A step that another thread enqueues, such as the one after `Task.sleep(for:)`, is an error of the run
    /// (`taskOnAnotherThread`). That step runs only after the simulation has ended. All tasks
    /// that are unfinished at the end take their last steps then. A task that calls the fleet or sets a timer after the
    /// end is cancelled, so a loop in a task must end on cancellation.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let test {
            if !test.takeJob(job) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        } else if isOnItsThread, !isClosed {
            add(job)
        } else if !escapes.withLock({ $0.keep(job) }) {
            globalConcurrentExecutor.enqueue(ExecutorJob(job))
        }
    }

    /// Makes a step an event at the present instant, even if its task hasn't chosen this executor.
    ///
    /// Call it on the owner's thread.
    ///
    /// - Parameters:
    ///   - job: The step.
    ///   - onMain: True for the main actor; the owner's thread is then the main thread.
    ///   - isWatched: True if the test is told before and after the step.
    package func add(_ job: UnownedJob, onMain: Bool = false, isWatched: Bool = false) {
        addNow(TaskStep(job, onMain: onMain, isWatched: isWatched, of: self))
    }

    /// The tasks of futures run on this scheduler.
    package var home: TaskHome {
        TaskHome(executor: self) { [self] in
            addWork($0)
        } noteUse: { [self] outside in
            switch outside {
            case .time: if test == nil { noteError(SimulationError(.liveScheduler)) }
            case .timer: noteError(SimulationError(.liveScheduler))
            case .chance: noteError(SimulationError(.systemRandom))
            }
        }
    }

    /// Runs the jobs that other threads have enqueued.
    ///
    /// - Returns: False if there were none; later ones then run on the global executor.
    func runKeptJobs() -> Bool {
        let jobs = escapes.withLock { $0.takeJobs() }
        for job in jobs { run(job) }
        return !jobs.isEmpty
    }

    /// Cancels the task that still runs at the end of the simulation.
    func cancelPresentTask() {
        if isInTask { withUnsafeCurrentTask { $0?.cancel() } }
    }

    private func addWork(_ work: @escaping () -> Void) { addNow(TaskWork(work)) }

    fileprivate func run(_ job: UnownedJob, onMain: Bool = false, isWatched: Bool = false) {
        let wasInTask = isInTask
        isInTask = true
        if isWatched { test?.willRun(job) }
        if onMain {
            job.runSynchronously(
                isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: asUnownedTaskExecutor())
        } else {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        if isWatched { test?.didRun(job) }
        isInTask = wasInTask
    }
}

/// What has left a simulation for another thread.
struct Escapes {
    private(set) var count = 0
    private(set) var first: SimulationError?
    /// Jobs of other threads, run at the end, because a task that never resumes would never be freed.
    private var jobs: [UnownedJob] = []
    private var isClosed = false

    mutating func noteError(_ error: SimulationError) {
        if isClosed { return }
        count += 1
        if first == nil { first = error }
    }

    /// Keeps a job for the end; returns false if the kept jobs have already run.
    fileprivate mutating func keep(_ job: UnownedJob) -> Bool {
        if isClosed { return false }
        noteError(SimulationError(.taskOnAnotherThread))
        jobs.append(job)
        return true
    }

    fileprivate mutating func takeJobs() -> [UnownedJob] {
        if jobs.isEmpty { isClosed = true }
        defer { jobs = [] }
        return jobs
    }
}

/// The next step of a task or an actor, which runs even if the event is discarded.
private final class TaskStep: SimulatedEvent {
    private let job: UnownedJob
    private let onMain: Bool
    private let isWatched: Bool
    private unowned let scheduler: SimulationScheduler

    init(_ job: UnownedJob, onMain: Bool, isWatched: Bool, of scheduler: SimulationScheduler) {
        self.job = job
        self.onMain = onMain
        self.isWatched = isWatched
        self.scheduler = scheduler
    }

    override func happen() { scheduler.run(job, onMain: onMain, isWatched: isWatched) }

    override func discard() { happen() }
}

/// What follows a task's cancellation, which runs even if the event is discarded.
private final class TaskWork: SimulatedEvent {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    override func happen() { work.take()?() }

    override func discard() { happen() }
}

struct ThreadIdentity: Equatable, @unchecked Sendable {
    // Unchecked: `pthread_t` may be a pointer, but it's only compared.
    private let thread: pthread_t

    static var current: ThreadIdentity { ThreadIdentity(thread: pthread_self()) }

    static func == (left: ThreadIdentity, right: ThreadIdentity) -> Bool {
        pthread_equal(left.thread, right.thread) != 0
    }
}

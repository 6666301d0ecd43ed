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
    // Unchecked: other threads use only the constant `owner`, the atomic, and the values that the lock guards. The rest
    // belongs to the owner's thread. `schedule`, `enqueue` and a timer's `cancel` check the thread; everything else
    // runs in the simulation's events.
    private let owner: ThreadIdentity
    /// What a test says of its steps and of what leaves them; nil in a simulation.
    private let test: (any VirtualTest)?
    private let instant = Atomic<Nanoseconds>(0)
    let escapes = Locked(Escapes())
    private let queue = EventQueue()
    /// The number of events that have happened.
    private(set) var happened = 0
    private var isOver = false
    /// True once the simulation has ended and all tasks have run their last steps.
    private(set) var isClosed = false
    /// True while a step of a task runs.
    var isInTask = false

    init() {
        owner = .current
        test = nil
    }

    /// Creates a scheduler for a test, whose steps may run on several threads, one after the other.
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

    /// Records the error of work that has left the simulation: for another thread, for real time, or for chance.
    func noteError(_ error: SimulationError) {
        if let test { return test.noteEscape(error.code) }
        escapes.withLock { $0.noteError(error) }
    }

    /// The present instant, in nanoseconds.
    package var time: Int64 { instant.load(ordering: .relaxed) }

    /// Runs an action as a step of a test, if the calling thread runs a task of that test.
    fileprivate func move(_ action: @escaping @Sendable () -> Void) -> Bool {
        test?.move(action) ?? false
    }

    var isOnItsThread: Bool { test?.isOnItsThread ?? (owner == .current) }

    /// Adds an event after a delay, unless the simulation is over.
    ///
    /// Call it on the owner's thread.
    func add(_ event: SimulatedEvent, after delay: Nanoseconds) {
        if isOver { return }
        queue.add(event, at: time.adding(delay))
    }

    /// Adds an event at the present instant, even when the simulation is over.
    ///
    /// Call it on the owner's thread.
    func addNow(_ event: SimulatedEvent) { queue.addNow(event) }

    /// True if there is nothing left to happen.
    var isQuiet: Bool { queue.isEmpty }

    /// Runs all events up to an instant, and sets the clock to that instant.
    package func run(until end: Int64) {
        while runNext(until: end) {}
        instant.store(end, ordering: .relaxed)
    }

    /// Runs the next event, unless it comes after an instant.
    ///
    /// - Returns: False if no event ran.
    package func runNext(until end: Int64) -> Bool {
        guard let (instant, event) = queue.next(from: time, until: end) else { return false }
        if instant != time { self.instant.store(instant, ordering: .relaxed) }
        happened += 1
        event.happen()
        return true
    }

    /// Ends the simulation.
    ///
    /// All events are discarded, because each holds this scheduler. From now on, only the last steps of tasks are
    /// added.
    ///
    /// - Parameter giveUp: Cancels whatever waits for the events.
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

    /// Removes an event, if it is in the queue.
    ///
    /// Call it on the owner's thread.
    func remove(_ event: SimulatedEvent) { queue.remove(event) }
}

/// What a scheduler asks and tells a test in virtual time.
package protocol VirtualTest: Sendable {
    /// True if the calling thread runs a step of the test.
    var isOnItsThread: Bool { get }

    /// Records that an action has left the test's steps.
    func noteEscape(_ code: SimulationError.Code)

    /// Runs an action as a step of the test, if the calling thread runs a task of the test.
    ///
    /// - Returns: False if it doesn't, or if the test has ended.
    func move(_ action: @escaping @Sendable () -> Void) -> Bool

    /// Takes a step of a task that has the scheduler as its executor; called on any thread.
    ///
    /// - Returns: False if the test has ended.
    func takeJob(_ job: UnownedJob) -> Bool

    /// Called before a watched step.
    func willRun(_ job: UnownedJob)

    /// Called after a watched step.
    func didRun(_ job: UnownedJob)
}

/// A scheduled action.
private final class SimulatedTimer: SimulatedEvent, ScheduledAction, @unchecked Sendable {
    // Unchecked: other threads read only `scheduler`, which never changes. The rest belongs to the scheduler's thread,
    // which `cancel` checks.
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
        // Releasing the action may run deinits that schedule or cancel. So the action is released only here, after the
        // queue has removed the timer.
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
    /// (``SimulationError/Code/taskOnAnotherThread``). That step runs only after the simulation has ended. All tasks
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

    /// Makes a task's next step an event at the present instant, even if the task hasn't chosen this executor.
    ///
    /// Call it on the owner's thread.
    ///
    /// - Parameters:
    ///   - job: The step.
    ///   - onMain: True for a step on the main actor; the owner's thread is then the main thread.
    ///   - isWatched: True if the test is told before and after the step.
    package func add(_ job: UnownedJob, onMain: Bool = false, isWatched: Bool = false) {
        addNow(TaskStep(job, onMain: onMain, isWatched: isWatched, of: self))
    }

    /// The executor for the tasks of futures: this scheduler.
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
    /// - Returns: False if there were none. In that case, jobs that come later run on the global executor.
    func runKeptJobs() -> Bool {
        let jobs = escapes.withLock { $0.takeJobs() }
        for job in jobs { run(job) }
        return !jobs.isEmpty
    }

    /// Cancels the task that still runs after the end of the simulation, if there is one.
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

/// The work that has left a simulation for another thread: the number of errors, the first error, and kept jobs.
struct Escapes {
    private(set) var count = 0
    private(set) var first: SimulationError?
    /// Jobs from other threads.
    ///
    /// They run at the end, because a task that never resumes would never be freed.
    private var jobs: [UnownedJob] = []
    private var isClosed = false

    /// Records an error, unless the run is over.
    mutating func noteError(_ error: SimulationError) {
        if isClosed { return }
        count += 1
        if first == nil { first = error }
    }

    /// Keeps a job for the end.
    ///
    /// - Returns: False if the simulation is over and has run the kept jobs.
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

/// The next step of a task, or of an actor.
///
/// The step runs even if the event is discarded.
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

/// Work that follows when a task is cancelled.
///
/// The work runs even if the event is discarded.
private final class TaskWork: SimulatedEvent {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    override func happen() { work.take()?() }

    override func discard() { happen() }
}

/// The identity of a thread.
struct ThreadIdentity: Equatable, @unchecked Sendable {
    // Unchecked: even if `pthread_t` is a pointer, it is only compared, and never followed.
    private let thread: pthread_t

    /// The calling thread.
    static var current: ThreadIdentity { ThreadIdentity(thread: pthread_self()) }

    static func == (left: ThreadIdentity, right: ThreadIdentity) -> Bool {
        pthread_equal(left.thread, right.thread) != 0
    }
}

/// An event at an instant of a simulation.
class SimulatedEvent {
    /// The event's index in the queue; nil outside a queue.
    fileprivate(set) final var queueIndex: Int?

    /// Runs the event when the clock has reached its instant.
    func happen() {}

    /// Drops the event, at the end of the simulation.
    func discard() {}
}

/// The future events in the order of their instants.
///
/// Events at the same instant keep the order they were added in. Adding, taking and removing cost O(log n).
final class EventQueue {
    private struct Entry: HeapElement {
        let instant: Nanoseconds
        let number: UInt64
        /// The event; the queue retains and releases it by hand, so that moving an entry changes no reference count.
        let event: Unmanaged<SimulatedEvent>

        func isBefore(_ other: Entry) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }

        func didMove(to index: Int) { event._withUnsafeGuaranteedRef { $0.queueIndex = index } }
    }

    // Only the simulation's thread uses the queue, so checks for overlapping accesses are off.
    @exclusivity(unchecked) private var entries = BinaryHeap<Entry>()
    /// The events at the present instant that can't be removed: the steps of tasks.
    ///
    /// There are more of these than of all others. A heap would compare each with many.
    @exclusivity(unchecked) private var present: [(number: UInt64, event: SimulatedEvent)] = []
    /// The index of the first event in `present` that hasn't happened.
    private var head = 0
    private var added: UInt64 = 0

    deinit {
        while entries.first != nil { entries.remove(at: 0).event.release() }
    }

    var isEmpty: Bool { entries.first == nil && head == present.count }

    /// Adds an event that isn't in a queue.
    func add(_ event: SimulatedEvent, at instant: Nanoseconds) {
        assert(event.queueIndex == nil, "an event is in the queue once")
        added += 1
        entries.insert(Entry(instant: instant, number: added, event: .passRetained(event)))
    }

    /// Adds an event at the present instant, which can't be removed.
    func addNow(_ event: SimulatedEvent) {
        added += 1
        present.append((added, event))
    }

    /// Takes the first event, unless it comes after an instant.
    ///
    /// - Parameters:
    ///   - now: The present instant.
    ///   - end: The last instant whose events are taken.
    func next(
        from now: Nanoseconds, until end: Nanoseconds
    ) -> (instant: Nanoseconds, event: SimulatedEvent)? {
        let first = entries.first
        if head < present.count {
            let (number, event) = present[head]
            if let first, first.instant <= now, first.number < number { return takeFirst(first) }
            head += 1
            // Copying what is left costs less than a step for each event that has happened.
            if head == present.count || head >= 1024 && head * 2 >= present.count {
                present.removeFirst(head)
                head = 0
            }
            return (now, event)
        }
        guard let first, first.instant <= end else { return nil }
        return takeFirst(first)
    }

    private func takeFirst(_ first: Entry) -> (instant: Nanoseconds, event: SimulatedEvent) {
        entries.remove(at: 0)
        let event = first.event.takeRetainedValue()
        event.queueIndex = nil
        return (first.instant, event)
    }

    /// Removes an event, if it is in the queue.
    func remove(_ event: SimulatedEvent) {
        guard let index = event.queueIndex.take() else { return }
        entries.remove(at: index).event.release()
    }
}

/// A time or a duration of a simulation, in nanoseconds: 292 years at most.
typealias Nanoseconds = Int64

extension Nanoseconds {
    /// The value in seconds.
    ///
    /// Division keeps whole seconds exact; multiplying by 1e-9 wouldn't.
    var seconds: Double { Double(self) / 1e9 }

    /// Converts a duration to nanoseconds, clamped to the range of the type.
    init(_ duration: Duration) {
        self = duration.nanoseconds
    }

    /// The sum, clamped to the latest time.
    func adding(_ other: Nanoseconds) -> Nanoseconds {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

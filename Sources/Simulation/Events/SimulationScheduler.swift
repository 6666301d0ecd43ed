public import PledgeFutures
import Synchronization

/// The clock and the one event queue of a simulation.
///
/// All of a simulation runs on the thread that runs the scenario, also the tasks of a `Future` and those with this as
/// their executor. Work that leaves it, such as a `Task { }` or a queue of Dispatch, comes back at no defined instant:
/// what it schedules does not run, and is an error of the run: ``SimulationRun/error``.
public final class SimulationScheduler: Scheduler, @unchecked Sendable {
    // Unchecked: other threads read `owner`, which never changes, the atomic, and what the lock guards. The rest belongs
    // to the owner's thread: `schedule`, `enqueue` and a timer's `cancel` check the thread, and all else runs within the
    // simulation's events.
    private let owner = ThreadIdentity.current
    private let instant = Atomic<Nanoseconds>(0)
    let escapes = Locked(Escapes())
    private let queue = EventQueue()
    /// How many events have happened.
    private(set) var happened = 0
    private var isOver = false
    /// Whether all has ended, also what tasks did after the end.
    private(set) var isClosed = false
    /// Whether a step of a task is running.
    var isInTask = false

    init() {}

    /// The present: how long the simulation has run, on its own clock.
    public var now: SchedulerInstant {
        SchedulerInstant(offset: .nanoseconds(instant.load(ordering: .relaxed)))
    }

    /// Runs an action once, after a delay of the simulation's time.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        guard isOnItsThread else {
            note(SimulationError(.actionOnAnotherThread))
            return SimulatedTimer(of: nil, action: nil)
        }
        if isOver { cancelPresentTask() }
        let timer = SimulatedTimer(of: self, action: action)
        add(timer, after: max(Nanoseconds(delay), 0))
        return timer
    }

    /// Notes that work has left the simulation.
    func note(_ error: SimulationError) { escapes.withLock { $0.note(error) } }

    /// The present in nanoseconds.
    var time: Nanoseconds { instant.load(ordering: .relaxed) }

    var isOnItsThread: Bool { owner == .current }

    /// Adds an event after a delay; on the owner's thread.
    ///
    /// Once the simulation is over, nothing is added.
    func add(_ event: SimulatedEvent, after delay: Nanoseconds) {
        if isOver { return }
        queue.add(event, at: time.adding(delay))
    }

    /// Adds an event at the present instant; on the owner's thread, also when the simulation is over.
    func addNow(_ event: SimulatedEvent) { queue.add(event, at: time) }

    /// Whether nothing is left to happen.
    var isQuiet: Bool { queue.firstInstant == nil }

    /// Runs all events until an instant, at which the clock then stands.
    func run(until end: Nanoseconds) {
        while runNext(until: end) {}
        instant.store(end, ordering: .relaxed)
    }

    /// Runs the next event, if its instant is not after another one.
    ///
    /// - Returns: Whether there was one.
    func runNext(until end: Nanoseconds) -> Bool {
        guard let (instant, event) = queue.next(until: end) else { return false }
        self.instant.store(instant, ordering: .relaxed)
        happened += 1
        event.happen()
        return true
    }

    /// Ends the simulation: all events are discarded, since each holds this scheduler, and none is added, except for
    /// what tasks do to end.
    ///
    /// - Parameter giveUp: Gives up what waits for the events.
    func end(_ giveUp: () -> Void) {
        isOver = true
        discardEvents()
        giveUp()
        repeat { discardEvents() } while runKeptJobs()
        isClosed = true
    }

    private func discardEvents() {
        while let (_, event) = queue.next(until: .max) { event.discard() }
    }

    /// Removes an event, if it is to happen; on the owner's thread.
    func remove(_ event: SimulatedEvent) { queue.remove(event) }
}

/// An action that is scheduled.
private final class SimulatedTimer: SimulatedEvent, ScheduledAction, @unchecked Sendable {
    // Unchecked: other threads read `scheduler`, which never changes. The rest belongs to the scheduler's thread, which
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
            return scheduler.note(SimulationError(.actionOnAnotherThread))
        }
        guard let action = action.take() else { return }
        scheduler.remove(self)
        // The action is released after the removal: what it captures may schedule or cancel.
        withExtendedLifetime(action) {}
    }
}

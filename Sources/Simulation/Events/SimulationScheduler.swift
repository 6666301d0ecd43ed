public import Futures
import Synchronization

/// The clock and the one event queue of a simulation.
///
/// All of a simulation runs on the thread that runs the scenario. Work that leaves it, such as a `Task` or a queue of
/// Dispatch, comes back at no defined instant: what it schedules does not run, and is counted in
/// ``SimulationRun/escapedActions``.
public final class SimulationScheduler: Scheduler, @unchecked Sendable {
    // Unchecked: other threads read `owner`, which never changes, and the two atomics. The rest belongs to the owner's
    // thread: `schedule` and a timer's `cancel` check the thread, and all else runs within the simulation's events.
    private let owner = ThreadIdentity.current
    private let instant = Atomic<Nanoseconds>(0)
    private let escaped = Atomic<Int>(0)
    private let queue = EventQueue()
    /// How many events have happened.
    private(set) var happened = 0
    private var isOver = false

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
            noteEscape()
            return SimulatedTimer(of: nil, action: nil)
        }
        let timer = SimulatedTimer(of: self, action: action)
        add(timer, after: max(Nanoseconds(delay), 0))
        return timer
    }

    /// Counts work that came from another thread.
    func noteEscape() { escaped.add(1, ordering: .relaxed) }

    /// How many actions other threads wanted to schedule.
    var escapedActions: Int { escaped.load(ordering: .relaxed) }

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

    /// Ends the simulation: all events are discarded, since each holds this scheduler, and none is added.
    func end() {
        isOver = true
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
        guard let scheduler, scheduler.isOnItsThread, let action = action.take() else { return }
        scheduler.remove(self)
        // The action is released after the removal: what it captures may schedule or cancel.
        withExtendedLifetime(action) {}
    }
}

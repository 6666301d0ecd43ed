/// A scheduler whose clock moves only when a test moves it.
///
/// ```swift
/// let scheduler = ManualScheduler()
/// let future = Promise<Int>().timeout(.seconds(2), on: scheduler)
/// scheduler.advance(by: .seconds(2))
/// ```
///
/// Actions run on the thread that moves the clock, one at a time, in order of their instants. Actions with the same
/// instant run in the order in which they were scheduled. While an action runs, ``now`` is the action's instant.
/// You may use the scheduler from several threads. If two of them move the clock at once, they share the work.
public final class ManualScheduler: FutureScheduler {
    private struct State {
        var now = SchedulerInstant(offset: .zero)
        /// The time that the device has slept.
        var asleep = Duration.zero
        var items = BinaryHeap<Item>()
        var count: UInt64 = 0

        mutating func insert(
            _ action: @escaping @Sendable () -> Void, at instant: SchedulerInstant,
            of scheduler: ManualScheduler
        ) -> ManualTimer {
            count += 1
            let timer = ManualTimer(scheduler: scheduler)
            items.insert(Item(instant: instant, number: count, timer: timer, action: action))
            return timer
        }

        mutating func remove(_ timer: ManualTimer) -> (@Sendable () -> Void)? {
            guard let index = timer.index.take() else { return nil }
            return items.remove(at: index).action
        }
    }

    private struct Item: HeapElement {
        let instant: SchedulerInstant
        let number: UInt64
        let timer: ManualTimer
        let action: @Sendable () -> Void

        func isBefore(_ other: Item) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }

        func didMove(to index: Int) { timer.index = index }
    }

    private let state = Locked(State())

    /// Creates a scheduler whose clock is at zero.
    public init() {}

    /// The present: the total time that the clock was advanced by.
    public var now: SchedulerInstant { state.withLock { $0.now } }

    /// The present on a clock that also counts the time asleep.
    public var continuousNow: SchedulerInstant {
        state.withLock { $0.now.advanced(by: $0.asleep) }
    }

    /// True if nothing is scheduled.
    public var isIdle: Bool { state.withLock { $0.items.first == nil } }

    /// Runs an action once, when the clock reaches or passes its instant.
    @discardableResult
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        state.withLock { state in
            let instant = state.now.advanced(by: max(delay, .zero))
            return state.insert(action, at: instant, of: self)
        }
    }

    /// Runs an action once, when the clock reaches or passes an instant.
    @discardableResult
    public func schedule(
        at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        state.withLock { $0.insert(action, at: max(instant, $0.now), of: self) }
    }

    /// Moves the clock forward, and runs the actions that become due, including those that they schedule.
    ///
    /// - Parameter duration: The time to move by. Zero runs the actions that are due now. Less than zero is a
    ///   programming error and traps.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time can only be advanced forward")
        advance(to: now.advanced(by: duration))
    }

    /// Lets time pass as on a device that sleeps.
    ///
    /// ``continuousNow`` moves on, ``now`` doesn't, and no action runs.
    ///
    /// - Parameter duration: The time asleep. Less than zero is a programming error and traps.
    public func advanceAsleep(by duration: Duration) {
        precondition(duration >= .zero, "time can only be advanced forward")
        state.withLock { $0.asleep += duration }
    }

    /// Moves the clock to an instant, unless it is already there, and runs the actions that become due.
    func advance(to end: SchedulerInstant) {
        while let action = nextAction(until: end) { action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Runs all scheduled actions, and those that they schedule, until none is left.
    ///
    /// The clock moves to the instant of each action. If each action schedules another one, this method never returns.
    public func run() {
        while let action = nextAction(until: nil) { action() }
    }

    private func nextAction(until end: SchedulerInstant?) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let first = state.items.first, end.map({ first.instant <= $0 }) ?? true else {
                return nil
            }
            state.now = max(state.now, first.instant)
            return state.remove(first.timer)
        }
    }

    fileprivate func cancel(_ timer: ManualTimer) {
        // The action is released after unlocking, because freeing what it captured may schedule or cancel actions.
        state.withLockThenRelease { $0.remove(timer) }
    }
}

private final class ManualTimer: ScheduledAction, @unchecked Sendable {
    /// The index of the timer's item in the heap; nil if the item isn't there.
    ///
    /// Guarded by the scheduler's lock.
    var index: Int?
    /// Set once, by `init`.
    private weak var scheduler: ManualScheduler?

    init(scheduler: ManualScheduler) { self.scheduler = scheduler }

    func cancel() { scheduler?.cancel(self) }
}

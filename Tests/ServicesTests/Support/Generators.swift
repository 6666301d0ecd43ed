import PledgeFutures
import PledgeServices

/// The same number each time, such as the end of every range.
struct Constant: RandomNumberGenerator, Sendable {
    let bits: UInt64

    init(_ bits: UInt64) { self.bits = bits }

    func next() -> UInt64 { bits }
}

/// Counts from zero, one by one.
struct Counting: RandomNumberGenerator, Sendable {
    private var count: UInt64 = 0

    mutating func next() -> UInt64 {
        defer { count += 1 }
        return count
    }
}

/// A scheduler whose actions run later than asked for, as on a busy machine.
struct LateScheduler: FutureScheduler {
    private let base: ManualScheduler
    private let lateness: @Sendable () -> Duration

    /// Makes a scheduler on the clock of another one.
    ///
    /// - Parameter lateness: How late an action is; called once for each.
    init(_ base: ManualScheduler, by lateness: @autoclosure @escaping @Sendable () -> Duration) {
        self.base = base
        self.lateness = lateness
    }

    var now: SchedulerInstant { base.now }

    func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        base.schedule(after: max(delay, .zero) + lateness(), action)
    }
}

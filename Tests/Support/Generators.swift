package import PledgeFutures

/// The same number each time, such as the end of every range.
package struct Constant: RandomNumberGenerator, Sendable {
    package let bits: UInt64

    package init(_ bits: UInt64) { self.bits = bits }

    package func next() -> UInt64 { bits }
}

/// Counts from zero, one by one.
package struct Counting: RandomNumberGenerator, Sendable {
    private var count: UInt64 = 0

    package init() {}

    package mutating func next() -> UInt64 {
        defer { count += 1 }
        return count
    }
}

/// A scheduler whose actions run later than asked for, as on a busy machine.
package struct LateScheduler: FutureScheduler {
    private let base: ManualScheduler
    private let lateness: @Sendable () -> Duration

    /// Makes a scheduler on the clock of another one.
    ///
    /// - Parameter lateness: How late an action is; called once for each.
    package init(
        _ base: ManualScheduler, by lateness: @autoclosure @escaping @Sendable () -> Duration
    ) {
        self.base = base
        self.lateness = lateness
    }

    package var now: SchedulerInstant { base.now }

    package func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        base.schedule(after: max(delay, .zero) + lateness(), action)
    }
}

import PledgeFutures
import TestSupport

@testable import PledgeServices

extension ConcurrencySample {
    /// A sample of a call that took a number of milliseconds, and ended at another.
    static func made(
        _ milliseconds: Int, inFlight: Int = 1, isDrop: Bool = false, isFull: Bool = false,
        at end: Int = 1_000_000
    ) -> ConcurrencySample {
        ConcurrencySample(
            start: SchedulerInstant(offset: .milliseconds(end - milliseconds)),
            end: SchedulerInstant(offset: .milliseconds(end)), inFlight: inFlight,
            isDrop: isDrop, isFull: isFull)
    }
}

extension ConcurrencyLimitMachine {
    /// The limit after another sample, which is not kept.
    func limit(after sample: ConcurrencySample) -> Int {
        var copy = self
        copy.record(sample)
        return copy.limit
    }
}

/// A limit of a fixed size that keeps its samples.
private struct FixedLimit: ConcurrencyLimitMachine {
    let limit: Int
    let log: TestLog<ConcurrencySample>

    mutating func record(_ sample: ConcurrencySample) { log.append(sample) }
}

extension ConcurrencyLimitAlgorithm {
    /// A limit of a fixed size that keeps its samples in a log.
    static func fixed(_ size: Int, _ log: TestLog<ConcurrencySample>) -> ConcurrencyLimitAlgorithm {
        ConcurrencyLimitAlgorithm(initial: size) { _ in FixedLimit(limit: size, log: log) }
    }
}

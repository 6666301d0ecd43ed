import PledgeFutures

@testable import PledgeServices

/// A limit by correlation, and the clock of its samples in milliseconds.
struct CorrelationRun {
    var machine: CorrelationLimit
    var now = 1_000_000

    init(_ initial: Int = 20, _ bounds: ClosedRange<Int> = 1...200) {
        machine = CorrelationLimit(initial: initial, bounds: bounds)
    }

    /// A window of 50 calls, which ends it.
    mutating func window(
        _ milliseconds: Int, inFlight: Int = 20, drops: Int = 0, isFull: Bool = false,
        apart: Int = 60
    ) {
        for number in 0..<50 {
            now += apart
            machine.record(
                .made(
                    milliseconds, inFlight: inFlight, isDrop: number < drops, isFull: isFull,
                    at: now))
        }
    }
}

import PledgeFutures

@testable import PledgeServices

/// A limit by the gradient, and the clock of its samples in milliseconds.
struct GradientRun {
    var machine: GradientLimit
    var now = 1_000_000

    init(_ bounds: ClosedRange<Int> = 3...1_000, seed: UInt64 = 1) {
        machine = GradientLimit(
            bounds: bounds, window: .milliseconds(100), interval: .seconds(60),
            SeededGenerator(seed: seed))
    }

    /// A run that has measured 10 milliseconds.
    static func measured(
        _ bounds: ClosedRange<Int> = 3...1_000, seed: UInt64 = 1
    ) -> GradientRun {
        var run = GradientRun(bounds, seed: seed)
        run.calls(50, 10)
        return run
    }

    /// A number of calls that end one after the other.
    mutating func calls(
        _ count: Int, _ milliseconds: Int, isDrop: Bool = false, apart: Int = 3
    ) {
        for _ in 0..<count {
            now += apart
            machine.record(.made(milliseconds, isDrop: isDrop, at: now))
        }
    }
}

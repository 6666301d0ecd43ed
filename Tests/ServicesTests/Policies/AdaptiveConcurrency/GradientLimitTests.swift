import Futures
import Testing

@testable import Services

@Suite struct GradientLimitTests {
    /// A limit, and the clock of its samples in milliseconds.
    private struct Run {
        var machine: GradientLimit
        var now = 1_000_000

        init(_ bounds: ClosedRange<Int> = 3...1_000, seed: UInt64 = 1) {
            machine = GradientLimit(
                bounds: bounds, window: .milliseconds(100), interval: .seconds(60),
                SeededGenerator(seed: seed))
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

    /// A run that has measured 10 milliseconds.
    private func measured(_ bounds: ClosedRange<Int> = 3...1_000, seed: UInt64 = 1) -> Run {
        var run = Run(bounds, seed: seed)
        run.calls(50, 10)
        return run
    }

    @Test func beginsAtTheLeastAndMeasuresFiftyAnswers() {
        var run = Run()
        run.calls(49, 10)
        run.calls(100, 1, isDrop: true)
        #expect(run.machine.limit == 3)
        run.calls(1, 10)
        run.calls(50, 10)
        // 3·1.25, and the root of that.
        #expect(run.machine.limit == 5)
        run.calls(50, 10)
        #expect(run.machine.limit == 8)
    }

    /// Each window multiplies by 1.25 × 10 ÷ median, within 0.5 and 2, and adds the root.
    @Test(arguments: [(1, 31), (10, 20), (20, 10), (40, 9), (1_000, 9)])
    func followsTheRatioOfRoundTrips(milliseconds: Int, limit: Int) {
        var run = measured()
        for _ in 0..<3 { run.calls(50, 10) }
        #expect(run.machine.limit == 13)
        run.calls(50, milliseconds)
        #expect(run.machine.limit == limit)
    }

    @Test func aWindowHasFiftySamplesAndATenthOfASecond() {
        var run = measured()
        run.calls(49, 10)
        #expect(run.machine.limit == 3)
        run.calls(1, 10)
        #expect(run.machine.limit == 5)
        run.calls(99, 10, apart: 1)
        #expect(run.machine.limit == 5)
        run.calls(1, 10, apart: 1)
        #expect(run.machine.limit == 8)
    }

    @Test func theMedianCounts() {
        var run = measured()
        run.calls(26, 10)
        run.calls(24, 5_000)
        #expect(run.machine.limit == 5)
        run.calls(24, 10)
        run.calls(26, 5_000)
        #expect(run.machine.limit == 4)
    }

    /// Whatever its time: a refusal is fast.
    @Test func aDropCountsAsLongerThanEveryAnswer() {
        var run = measured()
        for _ in 0..<3 { run.calls(50, 10) }
        #expect(run.machine.limit == 13)
        run.calls(25, 1, isDrop: true)
        run.calls(25, 10)
        #expect(run.machine.limit == 20)
        run.calls(26, 1, isDrop: true)
        run.calls(24, 10)
        #expect(run.machine.limit == 13)
    }

    @Test func staysWithinItsBounds() {
        var run = measured(3...9)
        for _ in 0..<4 { run.calls(50, 10) }
        #expect(run.machine.limit == 9)
        for _ in 0..<3 { run.calls(50, 1_000) }
        #expect(run.machine.limit == 3)
    }

    @Test func measuresAnewWithTheLeastLimitAndThenGoesOn() {
        var run = measured()
        for _ in 0..<3 { run.calls(50, 10) }
        run.now += 70_000
        run.calls(1, 10)
        #expect(run.machine.limit == 3)
        // They began before the measurement, with more calls in flight.
        run.calls(100, 100_000)
        run.calls(49, 30)
        #expect(run.machine.limit == 3)
        run.calls(1, 30)
        #expect(run.machine.limit == 13)
        run.calls(50, 30)
        #expect(run.machine.limit == 20)
    }

    /// Up to 15 % later than each minute, at random.
    @Test func measurementsOfManyClientsDoNotMeet() {
        let seconds = (1...50).map { seed -> Int in
            var run = measured(seed: UInt64(seed))
            for _ in 0..<3 { run.calls(50, 10) }
            let start = run.now - 450
            while run.machine.limit > 3 { run.calls(1, 10, apart: 100) }
            return (run.now - start) / 1_000
        }
        #expect(seconds.allSatisfy { (60...69).contains($0) })
        #expect(Set(seconds).count > 6)
    }

    /// The service has become slower for good: with the old measure the limit would stay at its least.
    @Test func measuresAnewAfterFiveWindowsAtTheLeast() {
        var run = measured()
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 1_000, apart: 30)
        run.calls(50, 1_000)
        #expect(run.machine.limit == 5)
    }

    @Test func fourWindowsAtTheLeastAreNotEnough() {
        var run = measured()
        for _ in 0..<4 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
        // The count begins anew.
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
    }

    @Test func anyRandomHistoryKeepsTheBounds() {
        var generator = SeededGenerator(seed: 5)
        for seed in 0..<50 {
            var run = Run(2...40, seed: UInt64(seed))
            var limits: Set<Int> = []
            for _ in 0..<2_000 {
                run.calls(
                    1, .random(in: 0...200, using: &generator),
                    isDrop: .random(using: &generator),
                    apart: .random(in: 0...100, using: &generator))
                limits.insert(run.machine.limit)
            }
            #expect(limits.allSatisfy { (2...40).contains($0) })
        }
    }
}

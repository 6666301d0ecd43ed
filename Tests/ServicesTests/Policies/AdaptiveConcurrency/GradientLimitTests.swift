import Testing

@testable import PledgeServices

@Suite struct GradientLimitTests {
    @Test func beginsAtTheLeastAndMeasuresFiftyAnswers() {
        var run = GradientRun()
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

    @Test func dropsAreNotMeasured() {
        var run = GradientRun()
        run.calls(24, 10)
        run.calls(26, 1, isDrop: true)
        run.calls(26, 10)
        run.calls(49, 10)
        #expect(run.machine.limit == 3)
        run.calls(1, 10)
        #expect(run.machine.limit == 5)
    }

    /// Each window multiplies by 1.25 × 10 ÷ median, within 0.5 and 2, and adds the root.
    @Test(arguments: [(1, 31), (10, 20), (20, 10), (40, 9), (1_000, 9)])
    func followsTheRatioOfRoundTrips(milliseconds: Int, limit: Int) {
        var run = GradientRun.measured()
        for _ in 0..<3 { run.calls(50, 10) }
        #expect(run.machine.limit == 13)
        run.calls(50, milliseconds)
        #expect(run.machine.limit == limit)
    }

    @Test func aWindowHasFiftySamplesAndATenthOfASecond() {
        var run = GradientRun.measured()
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
        var run = GradientRun.measured()
        run.calls(26, 10)
        run.calls(24, 5_000)
        #expect(run.machine.limit == 5)
        run.calls(24, 10)
        run.calls(26, 5_000)
        #expect(run.machine.limit == 4)
    }

    /// Whatever its time: a refusal is fast.
    @Test func aDropCountsAsLongerThanEveryAnswer() {
        var run = GradientRun.measured()
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
        var run = GradientRun.measured(3...9)
        for _ in 0..<4 { run.calls(50, 10) }
        #expect(run.machine.limit == 9)
        for _ in 0..<3 { run.calls(50, 1_000) }
        #expect(run.machine.limit == 3)
    }

    @Test func anyRandomHistoryKeepsTheBounds() {
        var generator = SeededGenerator(seed: 5)
        for seed in 0..<50 {
            var run = GradientRun(2...40, seed: UInt64(seed))
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

import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct ConcurrencyLimitAlgorithmTests {
    private func machine(
        _ algorithm: ConcurrencyLimitAlgorithm, seed: UInt64 = 1
    ) -> any ConcurrencyLimitMachine {
        algorithm.makeMachine(SeededGenerator(seed: seed))
    }

    /// Fast answers lead to the greatest limit, and drops to the least.
    @Test(arguments: [
        (ConcurrencyLimitAlgorithm.aimd(), 20, 2...200), (.vegas(), 20, 1...1_000),
        (.gradient(), 3, 3...1_000), (.correlation(), 20, 1...200),
    ])
    func eachLimitAlgorithmHasItsDefaultBounds(
        algorithm: ConcurrencyLimitAlgorithm, initial: Int, bounds: ClosedRange<Int>
    ) {
        var machine = machine(algorithm)
        #expect(algorithm.initial == initial && machine.limit == initial)
        var (least, greatest) = (initial, initial)
        for number in 0..<20_000 {
            let isDrop = number >= 10_000
            machine.record(
                .made(10, inFlight: machine.limit, isDrop: isDrop, at: 1_000_000 + number * 50))
            (least, greatest) = (min(least, machine.limit), max(greatest, machine.limit))
        }
        #expect(least == bounds.lowerBound && greatest == bounds.upperBound)
    }

    @Test func aimdShrinksByATenthAndTakesFiveSecondsForADrop() {
        var machine = machine(.aimd())
        for _ in 0..<80 { machine.record(.made(10, inFlight: 100)) }
        #expect(machine.limit == 100)
        #expect(machine.limit(after: .made(10, isDrop: true)) == 90)
        #expect(machine.limit(after: .made(5_000, inFlight: 100)) == 101)
        #expect(machine.limit(after: .made(5_001, inFlight: 100)) == 90)
    }

    /// A minute, and up to 15 % more, which the seeds share out.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func gradientHasWindowsOfATenthOfASecondAndMeasuresAMinuteLater(_ seed: UInt64) {
        var machine = machine(.gradient(), seed: seed)
        let start = 1_000_000
        for _ in 0..<50 { machine.record(.made(10, at: start)) }
        for number in 1..<100 { machine.record(.made(10, at: start + number)) }
        #expect(machine.limit == 3)
        machine.record(.made(10, at: start + 100))
        #expect(machine.limit == 5)
        for _ in 1..<50 { machine.record(.made(10, at: start + 59_999)) }
        #expect(machine.limit(after: .made(10, at: start + 59_999)) == 8)
        #expect(machine.limit(after: .made(10, at: start + 69_000)) == 3)
    }
}

@Suite struct ConcurrencySampleTests {
    @Test func aSampleOfAConcurrencyLimitLastsANanosecondAtLeast() {
        #expect(ConcurrencySample.made(5).roundTrip == 5_000_000)
        #expect(ConcurrencySample.made(0).roundTrip == 1)
        #expect(ConcurrencySample.made(-5).roundTrip == 1)
    }

    @Test(arguments: [
        (1, 1), (10, 1), (99, 1), (100, 2), (999, 2), (1_000, 3), (9_999, 3), (10_000, 4),
        (999_999, 5), (1_000_000, 6), (Int.max, 18),
    ])
    func aStepOfAConcurrencyLimitIsItsWholeDecimalLogarithm(limit: Int, step: Int) {
        #expect(wholeLogarithm(of: limit) == step)
    }
}

@Suite struct AIMDLimitTests {
    private func machine(_ initial: Int, _ bounds: ClosedRange<Int> = 20...200) -> AIMDLimit {
        AIMDLimit(
            initial: initial, bounds: bounds, decrease: 0.9, slowCallDuration: .seconds(5))
    }

    @Test func anAIMDLimitGrowsByOneWhileHalfOfItIsUsed() {
        #expect(machine(31).limit(after: .made(10, inFlight: 16)) == 32)
        #expect(machine(31).limit(after: .made(10, inFlight: 15)) == 31)
        #expect(machine(30).limit(after: .made(10, inFlight: 15)) == 31)
    }

    @Test func anAIMDLimitShrinksByATenthWithEachDrop() {
        var machine = machine(100)
        let limits = (0..<4).map { _ in
            machine.record(.made(10, inFlight: 1, isDrop: true))
            return machine.limit
        }
        #expect(limits == [90, 81, 72, 64])
    }

    @Test func anAIMDLimitShrinksWhereATenthIsLessThanOne() {
        var machine = machine(4, 1...200)
        let limits = (0..<5).map { _ in
            machine.record(.made(10, isDrop: true))
            return machine.limit
        }
        #expect(limits == [3, 2, 1, 1, 1])
    }

    @Test func anAIMDLimitStaysWithinItsBounds() {
        #expect(machine(20).limit(after: .made(10, isDrop: true)) == 20)
        #expect(machine(200).limit(after: .made(10, inFlight: 200)) == 200)
    }

    @Test func anAIMDLimitTakesASlowAnswerForADrop() {
        #expect(machine(100).limit(after: .made(5_000, inFlight: 100)) == 101)
        #expect(machine(100).limit(after: .made(5_001, inFlight: 100)) == 90)
    }
}

@Suite struct VegasLimitTests {
    /// A limit whose shortest round trip is 100 milliseconds.
    private func machine(_ initial: Int, max: Int = 1_000, seed: UInt64 = 1) -> VegasLimit {
        var machine = VegasLimit(
            initial: initial, bounds: 1...max, SeededGenerator(seed: seed))
        machine.record(.made(100, inFlight: initial))
        return machine
    }

    @Test func theFirstAnswerOfAVegasLimitOnlyMeasures() {
        #expect(machine(20).limit == 20)
    }

    /// Of 20 calls, 20·(1 − 100 ÷ round trip) wait.
    @Test(arguments: [
        (100, 26), (105, 26), (106, 21), (111, 21), (112, 20), (142, 20), (143, 19), (900, 19),
    ])
    func aVegasLimitFollowsTheEstimateOfTheQueue(milliseconds: Int, limit: Int) {
        #expect(machine(20).limit(after: .made(milliseconds, inFlight: 20)) == limit)
    }

    /// Its steps are those of the decimal logarithm: 2 from 100 on.
    @Test(arguments: [(101, 212), (102, 202), (103, 200), (106, 200), (107, 198)])
    func theStepsOfAVegasLimitGrowWithIt(milliseconds: Int, limit: Int) {
        #expect(machine(200).limit(after: .made(milliseconds, inFlight: 200)) == limit)
    }

    @Test func aVegasLimitThatIsNotHalfUsedStays() {
        #expect(machine(20).limit(after: .made(100, inFlight: 9)) == 20)
        #expect(machine(20).limit(after: .made(100, inFlight: 10)) == 26)
        #expect(machine(20).limit(after: .made(900, inFlight: 9)) == 20)
    }

    @Test func aDropShrinksAVegasLimitHoweverMuchIsUsed() {
        #expect(machine(20).limit(after: .made(100, inFlight: 1, isDrop: true)) == 19)
        #expect(machine(200).limit(after: .made(100, inFlight: 1, isDrop: true)) == 198)
    }

    @Test func aVegasLimitDoesNotTakeADropForTheShortestRoundTrip() {
        var machine = machine(20)
        machine.record(.made(1, inFlight: 20, isDrop: true))
        #expect(machine.limit(after: .made(100, inFlight: 20)) == 25)
    }

    @Test func aVegasLimitMeasuresAgainstAShorterRoundTripOnceItComes() {
        var machine = machine(20)
        machine.record(.made(50, inFlight: 20))
        #expect(machine.limit == 20)
        #expect(machine.limit(after: .made(100, inFlight: 20)) == 19)
    }

    @Test func aVegasLimitStaysWithinItsBounds() {
        #expect(machine(20, max: 24).limit(after: .made(100, inFlight: 20)) == 24)
        #expect(machine(1).limit(after: .made(900, isDrop: true)) == 1)
    }

    /// How many answers of a longer time come until it is taken for the shortest.
    private func answersUntilMeasured(
        _ milliseconds: Int, by machine: inout VegasLimit
    ) -> Int {
        var count = 0
        while count < 1_000, machine.limit(after: .made(milliseconds, inFlight: 20)) != 26 {
            machine.record(.made(milliseconds, inFlight: 1))
            count += 1
        }
        return count
    }

    /// The shortest round trip is measured anew after 15 to 30 samples for each place, at random.
    @Test func aVegasLimitMeasuresAnewNowAndThen() {
        let counts = (1...50).map { seed -> Int in
            var machine = machine(20, seed: UInt64(seed))
            // The first answer of the machine counts too.
            return 1 + answersUntilMeasured(200, by: &machine)
        }
        #expect(counts.allSatisfy { (300...600).contains($0) })
        #expect(counts.min()! < 330 && counts.max()! > 570)
    }

    @Test func theTimeToAVegasLimitsNextMeasurementDiffersEachTime() {
        let counts = (1...10).map { seed -> (Int, Int) in
            var machine = machine(20, seed: UInt64(seed))
            return (
                answersUntilMeasured(200, by: &machine), answersUntilMeasured(400, by: &machine)
            )
        }
        #expect(counts.count { abs($0 - $1) > 9 } > 5)
    }

    @Test func aVegasLimitMeasuresAnewMoreThanOnce() {
        var machine = machine(20)
        for milliseconds in [200, 400, 800] {
            for _ in 0..<600 { machine.record(.made(milliseconds, inFlight: 1)) }
            #expect(machine.limit(after: .made(milliseconds, inFlight: 20)) == 26)
        }
    }
}

@Suite struct GradientLimitTests {
    @Test func aGradientLimitBeginsAtTheLeastAndMeasuresFiftyAnswers() {
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

    @Test func aGradientLimitDoesNotMeasureDrops() {
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
    func aGradientLimitFollowsTheRatioOfRoundTrips(milliseconds: Int, limit: Int) {
        var run = GradientRun.measured()
        for _ in 0..<3 { run.calls(50, 10) }
        #expect(run.machine.limit == 13)
        run.calls(50, milliseconds)
        #expect(run.machine.limit == limit)
    }

    @Test func aGradientLimitsWindowHasFiftySamplesAndATenthOfASecond() {
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

    @Test func theMedianOfAGradientsWindowCounts() {
        var run = GradientRun.measured()
        run.calls(26, 10)
        run.calls(24, 5_000)
        #expect(run.machine.limit == 5)
        run.calls(24, 10)
        run.calls(26, 5_000)
        #expect(run.machine.limit == 4)
    }

    /// Whatever its time: a refusal is fast.
    @Test func aGradientLimitTakesADropForLongerThanEveryAnswer() {
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

    @Test func aGradientLimitStaysWithinItsBounds() {
        var run = GradientRun.measured(3...9)
        for _ in 0..<4 { run.calls(50, 10) }
        #expect(run.machine.limit == 9)
        for _ in 0..<3 { run.calls(50, 1_000) }
        #expect(run.machine.limit == 3)
    }

    @Test func aGradientLimitKeepsItsBoundsInAnyRandomHistory() {
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

/// When a limit by the gradient measures the round trip without load anew.
@Suite struct GradientMeasurementTests {
    @Test func aGradientMeasuresWithTheLeastLimitAndThenGoesOn() {
        var run = GradientRun.measured()
        for _ in 0..<2 { run.calls(50, 10) }
        run.now += 70_000
        run.calls(50, 10)
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

    @Test func aGradientMeasuresTheMedian() {
        var run = GradientRun()
        run.calls(26, 10)
        run.calls(24, 5_000)
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
    }

    /// A client with few calls would measure for ever, with the least limit, and never see whether more could pass.
    @Test func aGradientMeasuresAnewOnlyAtTheEndOfAWindow() {
        var run = GradientRun.measured()
        run.now += 70_000
        run.calls(49, 10)
        #expect(run.machine.limit == 3)
        run.calls(1, 10)
        // The window has grown the limit to 5, which counts when the measurement ends. Three calls began before it.
        #expect(run.machine.limit == 3)
        run.calls(52, 10)
        #expect(run.machine.limit == 3)
        run.calls(1, 10)
        #expect(run.machine.limit == 5)
    }

    /// A call that began at its very beginning counts.
    @Test func aGradientsMeasurementTakesNothingOfTheWindowBefore() {
        var run = GradientRun.measured()
        for _ in 0..<2 { run.calls(50, 10) }
        run.now += 70_000
        run.calls(50, 10)
        for number in 1...50 {
            #expect(run.machine.limit == 3, "\(number)")
            run.machine.record(.made(30, at: run.now + 30))
        }
        #expect(run.machine.limit == 13)
    }

    /// Up to 15 % later than each minute, at random.
    @Test func gradientsOfManyClientsDoNotMeasureAtTheSameTime() {
        let seconds = (1...50).map { seed -> Int in
            var run = GradientRun.measured(seed: UInt64(seed))
            for _ in 0..<3 { run.calls(50, 10) }
            let start = run.now - 450
            for _ in 0..<10_000 where run.machine.limit > 3 { run.calls(1, 10, apart: 10) }
            return (run.now - start) / 1_000
        }
        #expect(seconds.allSatisfy { (60...69).contains($0) })
        #expect(Set(seconds).count > 6)
    }

    /// The service has become slower for good: with the old measure the limit would stay at its least.
    @Test func aGradientMeasuresAnewAfterFiveWindowsAtTheLeast() {
        var run = GradientRun.measured()
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 1_000, apart: 30)
        run.calls(50, 1_000)
        #expect(run.machine.limit == 5)
    }

    @Test func aGradientsMeasurementBeginsTheCountOfWindowsAnew() {
        var run = GradientRun.measured()
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 1_000, apart: 30)
        run.calls(50, 5_000)
        run.calls(50, 1_000)
        #expect(run.machine.limit == 5)
    }

    @Test func aGradientDoesNotMeasureAfterFourWindowsAtTheLeast() {
        var run = GradientRun.measured()
        for _ in 0..<4 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
        // The count begins anew, with the first window that begins with the least.
        for _ in 0..<6 { run.calls(50, 1_000) }
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
    }
}

@Suite struct MovingAverageTests {
    @Test func aMovingAverageTakesItsFirstTenValuesEvenly() {
        var average = MovingAverage(age: 5)
        let values = (1...10).map { average.add(Double($0)) }
        for (index, value) in values.enumerated() {
            #expect(abs(value - Double(index + 2) / 2) < 1e-12)
        }
    }

    @Test func laterValuesOfAMovingAverageHaveAConstantWeight() {
        var average = MovingAverage(age: 5)
        for _ in 1...10 { _ = average.add(3) }
        #expect(abs(average.add(6) - 4) < 1e-12)
        #expect(abs(average.add(10) - 6) < 1e-12)
    }
}

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

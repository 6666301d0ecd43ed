import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct CorrelationLimitTests {
    @Test func aCorrelationLimitGrowsWithEachWindowWithoutAQueue() {
        var run = CorrelationRun()
        let limits = (0..<4).map { _ in
            run.window(100)
            return run.machine.limit
        }
        #expect(limits == [21, 22, 23, 24])
    }

    @Test func aStepOfACorrelationLimitIsItsLogarithm() {
        var run = CorrelationRun(100)
        run.window(100, inFlight: 100)
        #expect(run.machine.limit == 102)
    }

    @Test func aCorrelationLimitsWindowHasFiftySamplesAndASecond() {
        var run = CorrelationRun()
        run.window(100)
        run.window(100, apart: 20)
        #expect(run.machine.limit == 21)
        run.now += 1
        run.machine.record(.made(100, inFlight: 20, at: run.now))
        #expect(run.machine.limit == 22)
    }

    /// Twice the shortest round trip, but 30 seconds at most.
    @Test(arguments: [(2_000, 4_000), (60_000, 30_000)])
    func aCorrelationLimitsWindowsAreLongerForASlowService(milliseconds: Int, length: Int) {
        var run = CorrelationRun()
        run.window(milliseconds)
        let start = run.now
        run.window(milliseconds)
        run.now = start + length
        run.machine.record(.made(milliseconds, inFlight: 20, at: run.now))
        #expect(run.machine.limit == 21)
        run.machine.record(.made(milliseconds, inFlight: 20, at: run.now + 1))
        #expect(run.machine.limit == 22)
    }

    /// The shortest answer of the window before, which a drop is not.
    @Test func theShortestAnswerSetsTheLengthOfACorrelationLimitsNextWindow() {
        var run = CorrelationRun()
        run.machine.record(.made(1, inFlight: 20, isDrop: true, at: run.now))
        run.machine.record(.made(2_000, inFlight: 20, at: run.now))
        run.window(9_000)
        // It ended with the last but two.
        var end = run.now - 120
        for (length, limit) in [(4_000, 22), (18_000, 23)] {
            run.window(9_000, apart: 1)
            run.machine.record(.made(9_000, inFlight: 20, at: end + length))
            #expect(run.machine.limit == limit - 1)
            run.machine.record(.made(9_000, inFlight: 20, at: end + length + 1))
            #expect(run.machine.limit == limit)
            end += length + 1
            run.now = end
        }
    }

    @Test func aRoundTripOfManyCenturiesDoesNotTrapACorrelationLimit() {
        var run = CorrelationRun()
        run.window(9_000_000_000_000_000)
        #expect(run.machine.limit == 21)
    }

    @Test func aCorrelationLimitCountsTheMostInFlightOfItsWindow() {
        var run = CorrelationRun()
        run.machine.record(.made(100, inFlight: 5, at: run.now))
        run.window(100, inFlight: 1)
        #expect(run.machine.limit == 21)
        run.window(100, inFlight: 1)
        #expect(run.machine.limit == 20)
    }

    @Test func aCorrelationLimitIsAtMostFiveTimesWhatIsInFlight() {
        var run = CorrelationRun()
        run.window(100, inFlight: 5)
        #expect(run.machine.limit == 21)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 20)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 19)
    }

    @Test func aTenthOfDropsShrinksACorrelationLimit() {
        var run = CorrelationRun()
        run.window(100, drops: 5)
        #expect(run.machine.limit == 21)
        run.window(100, drops: 6)
        #expect(run.machine.limit == 20)
        run.window(100, drops: 50)
        #expect(run.machine.limit == 19)
        // Its windows are no longer than others.
        run.window(100, drops: 50)
        #expect(run.machine.limit == 18)
    }

    @Test func aCorrelationLimitStaysWithinItsBounds() {
        var run = CorrelationRun(20, 19...21)
        for _ in 0..<3 { run.window(100) }
        #expect(run.machine.limit == 21)
        for _ in 0..<5 { run.window(100, drops: 50) }
        #expect(run.machine.limit == 19)
    }

    @Test func aLongQueueShrinksACorrelationLimit() {
        var run = CorrelationRun()
        for _ in 0..<12 { run.window(100) }
        let before = run.machine.limit
        // The median of five needs three.
        for _ in 0..<3 { run.window(1_000) }
        #expect(run.machine.limit == before + 2 - 1)
    }

    /// Calls in flight rise by 1 % a window, round trips by 2 %.
    @Test func fallingThroughputShrinksAFullLimitOnly() {
        var full = CorrelationRun(), free = CorrelationRun()
        var limits: [(full: Int, free: Int)] = []
        for number in 0..<14 {
            full.window(1_000 + 20 * number, inFlight: 100 + number, isFull: true)
            free.window(1_000 + 20 * number, inFlight: 100 + number, isFull: false)
            limits.append((full.machine.limit, free.machine.limit))
        }
        // Nine windows are too few to correlate.
        #expect(limits[8].full == limits[8].free)
        #expect(limits[13].full == limits[8].full - 5)
        #expect(limits[13].free >= limits[8].free)
    }
}

@Suite struct RoundTripWindowTests {
    @Test func percentilesOfARoundTripWindowAreWithinTwoPercent() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<50 {
            var window = RoundTripWindow()
            let times = (0..<101).map { _ in Int.random(in: 1...60_000, using: &generator) }
            for time in times { window.add(.made(time)) }
            for (share, index) in [(0.5, 50), (0.9, 90), (1, 100)] {
                let exact = Double(times.sorted()[index]) * 1e6
                #expect(abs(window.quantile(share) / exact - 1) < 0.02)
            }
        }
    }

    @Test func aRoundTripWindowCountsExtremeTimesInItsFirstAndLastCounter() {
        var window = RoundTripWindow()
        window.add(.made(0))
        #expect(window.quantile(1) < 2_000)
        window.add(.made(10_000_000))
        #expect(window.quantile(1) > 6e10)
    }

    @Test func aRoundTripWindowTakesADropForLongerThanEveryAnswer() {
        var window = RoundTripWindow()
        for _ in 0..<9 { window.add(.made(1_000)) }
        window.add(.made(1, isDrop: true))
        #expect(window.quantile(0.9).isFinite)
        #expect(window.quantile(0.91) == .infinity)
    }

    @Test func clearingARoundTripWindowEmptiesAllItsCounters() {
        var window = RoundTripWindow()
        window.add(.made(1_000))
        window.add(.made(1, isDrop: true))
        window.clear()
        #expect(window.count == 0)
        window.add(.made(10))
        #expect(abs(window.quantile(1) / 1e7 - 1) < 0.02)
    }
}

@Suite struct SampleCorrelationTests {
    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        var window = SampleCorrelation()
        return pairs.reduce(0) { window.add($1.0, $1.1) }
    }

    @Test func pairsOnALineCorrelateFully() {
        let numbers = (1...20).map(Double.init)
        #expect(abs(correlation(numbers.map { ($0, 3 * $0 + 1) }) - 1) < 1e-12)
        #expect(abs(correlation(numbers.map { ($0, 100 - $0) }) + 1) < 1e-12)
    }

    @Test func aCorrelationNeedsTenPairs() {
        #expect(correlation((1...9).map { (Double($0), Double($0)) }) == 0)
        #expect(correlation((1...10).map { (Double($0), Double($0)) }) > 0.99)
    }

    @Test func valuesThatHardlyVaryDoNotCorrelate() {
        let numbers = (1...20).map(Double.init)
        #expect(correlation(numbers.map { ($0, 5) }) == 0)
        #expect(correlation(numbers.map { (5, $0) }) == 0)
        #expect(correlation(numbers.map { ($0, 1_000 + $0) }) == 0)
        #expect(correlation(numbers.map { (1_000 + $0, $0) }) == 0)
        // The mean of zero has no share that it could vary by.
        #expect(correlation(numbers.map { (0, $0) }) == 0)
        #expect(correlation(numbers.map { ($0, 0) }) == 0)
        #expect(correlation(numbers.map { ($0, 300 + $0) }) > 0.99)
    }

    @Test func theLastFiftyPairsOfACorrelationCount() {
        let old = (1...30).map { (Double($0), Double(-$0)) }
        let new = (1...50).map { (Double($0), Double($0)) }
        #expect(correlation(old + new.dropLast()) < 0.9999)
        #expect(abs(correlation(old + new) - 1) < 1e-12)
    }
}

/// The limit compared with one that computes all from the whole history.
@Suite(.oneAtATime) struct CorrelationOracleTests {
    /// How the windows of a run change: round trips grow; the calls in flight too, or they wander.
    private struct Course {
        var generator: SeededGenerator
        let wanders: Bool
        let calls: Double
        let slope: Double

        init(_ seed: UInt64) {
            generator = SeededGenerator(seed: seed)
            wanders = Bool.random(using: &generator)
            calls = Double.random(in: -0.2...2, using: &generator)
            slope = Double.random(in: 0...20, using: &generator)
        }

        mutating func window(_ number: Int) -> (time: Int, inFlight: Int, isFull: Bool) {
            let noise = Int.random(in: 0...80, using: &generator)
            let inFlight =
                wanders
                ? Int.random(in: 60...63, using: &generator) : 20 + Int(calls * Double(number))
            return (
                200 + Int(slope * Double(number)) + noise, inFlight,
                Bool.random(using: &generator)
            )
        }
    }

    @Test func aCorrelationAgreesWithAnOracleOverRandomWindows() {
        var reasons: [CorrelationOracle.Reason: Int] = [:]
        for seed in 0..<75 {
            let initial = 20 + seed
            var (run, oracle) = (CorrelationRun(initial), CorrelationOracle(limit: initial))
            var course = Course(UInt64(seed))
            for number in 0..<60 {
                let (time, inFlight, isFull) = course.window(number)
                run.window(time, inFlight: inFlight, isFull: isFull)
                var window = RoundTripWindow()
                for _ in 0..<50 { window.add(.made(time)) }
                let reason = oracle.window(window.quantile(0.9), inFlight, isFull)
                reasons[reason, default: 0] += 1
                #expect(run.machine.limit == oracle.limit)
            }
        }
        // Each rule has decided often.
        for reason in CorrelationOracle.Reason.allCases {
            #expect(reasons[reason, default: 0] > 20, "\(reason): \(reasons)")
        }
    }
}

/// The rules of the limit by correlation, computed from the whole history.
///
/// It is for limits from 1 to 200 and windows without drops.
struct CorrelationOracle {
    enum Reason: Hashable, CaseIterable {
        case queue
        case throughput
        case time
        case throughputAndTime
        case inFlight
        case grows
        case stays
    }

    private(set) var limit: Int
    private var percentiles: [Double] = []
    private var medians: [Double] = []
    private var history: [(inFlight: Double, time: Double)] = []

    init(limit: Int) { self.limit = limit }

    mutating func window(_ percentile: Double, _ inFlight: Int, _ isFull: Bool) -> Reason {
        percentiles.append(percentile)
        let last = percentiles.suffix(5).sorted()
        medians.append(last[last.count / 2])
        let averages = averages(of: medians, weight: 1.0 / 3)
        let now = averages.last!
        let baseline = self.averages(of: averages, weight: 2.0 / 11).last!
        history.append((Double(inFlight), now))
        let recent = history.suffix(50)
        let throughput = correlation(recent.map { ($0.inFlight, $0.inFlight / $0.time) })
        let time = correlation(recent.map { ($0.inFlight, $0.time) })
        let step = limit < 100 ? 1 : 2
        let waiting = Int((Double(limit) * (1 - baseline / now)).rounded(.up))
        var reason = Reason.stays
        if waiting < 3 * step { reason = .grows }
        if isFull, throughput < 0.3, time > 0.5 { reason = .time }
        if isFull, throughput < 0 { reason = time > 0.5 ? .throughputAndTime : .throughput }
        if waiting > 6 * step { reason = .queue }
        let change = reason == .grows ? step : reason == .stays ? 0 : -step
        if limit + change > 5 * inFlight { reason = .inFlight }
        limit = min(200, max(1, limit + (reason == .inFlight ? -step : change)))
        return reason
    }

    /// The moving averages of a series: of the first ten the plain means.
    private func averages(of values: [Double], weight: Double) -> [Double] {
        var averages: [Double] = []
        for (index, value) in values.enumerated() {
            if index < 10 {
                averages.append(values[...index].reduce(0, +) / Double(index + 1))
            } else {
                averages.append(weight * value + (1 - weight) * averages[index - 1])
            }
        }
        return averages
    }

    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        guard pairs.count >= 10 else { return 0 }
        let count = Double(pairs.count)
        let (x, y) = (pairs.map(\.0).reduce(0, +), pairs.map(\.1).reduce(0, +))
        let xx = pairs.map { $0.0 * $0.0 }.reduce(0, +) * count - x * x
        let yy = pairs.map { $0.1 * $0.1 }.reduce(0, +) * count - y * y
        let xy = pairs.map { $0.0 * $0.1 }.reduce(0, +) * count - x * y
        guard xx.squareRoot() >= 0.01 * x, yy.squareRoot() >= 0.01 * y else { return 0 }
        return xy / (xx * yy).squareRoot()
    }
}

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

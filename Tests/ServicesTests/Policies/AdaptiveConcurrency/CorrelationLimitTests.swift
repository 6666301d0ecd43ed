import Futures
import Testing

@testable import Services

@Suite struct CorrelationLimitTests {
    /// A limit, and the clock of its samples in milliseconds.
    private struct Run {
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

    @Test func growsWithEachWindowWithoutAQueue() {
        var run = Run()
        let limits = (0..<4).map { _ in
            run.window(100)
            return run.machine.limit
        }
        #expect(limits == [21, 22, 23, 24])
    }

    @Test func aStepIsTheLogarithm() {
        var run = Run(100)
        run.window(100, inFlight: 100)
        #expect(run.machine.limit == 102)
    }

    @Test func aWindowHasFiftySamplesAndASecond() {
        var run = Run()
        run.window(100)
        run.window(100, apart: 20)
        #expect(run.machine.limit == 21)
        run.now += 1
        run.machine.record(.made(100, inFlight: 20, at: run.now))
        #expect(run.machine.limit == 22)
    }

    /// Twice the shortest round trip, but 30 seconds at most.
    @Test(arguments: [(2_000, 4_000), (60_000, 30_000)])
    func theWindowsOfASlowServiceAreLonger(milliseconds: Int, length: Int) {
        var run = Run()
        run.window(milliseconds)
        let start = run.now
        run.window(milliseconds)
        run.now = start + length
        run.machine.record(.made(milliseconds, inFlight: 20, at: run.now))
        #expect(run.machine.limit == 21)
        run.machine.record(.made(milliseconds, inFlight: 20, at: run.now + 1))
        #expect(run.machine.limit == 22)
    }

    @Test func isAtMostFiveTimesWhatIsInFlight() {
        var run = Run()
        run.window(100, inFlight: 5)
        #expect(run.machine.limit == 21)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 20)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 19)
    }

    @Test func aTenthOfDropsShrinksIt() {
        var run = Run()
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

    @Test func staysWithinItsBounds() {
        var run = Run(20, 19...21)
        for _ in 0..<3 { run.window(100) }
        #expect(run.machine.limit == 21)
        for _ in 0..<5 { run.window(100, drops: 50) }
        #expect(run.machine.limit == 19)
    }

    @Test func aLongQueueShrinksIt() {
        var run = Run()
        for _ in 0..<12 { run.window(100) }
        let before = run.machine.limit
        // The median of five needs three.
        for _ in 0..<3 { run.window(1_000) }
        #expect(run.machine.limit == before + 2 - 1)
    }

    /// Calls in flight rise by 1 % a window, round trips by 2 %.
    @Test func fallingThroughputShrinksAFullLimitOnly() {
        var full = Run(), free = Run()
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

    /// Compared with a limit that computes all from the whole history, for random windows.
    @Test func agreesWithAnOracleOverRandomWindows() {
        var generator = SeededGenerator(seed: 23)
        var reasons: [CorrelationOracle.Reason: Int] = [:]
        for _ in 0..<100 {
            let initial = Int.random(in: 20...180, using: &generator)
            var run = Run(initial)
            var oracle = CorrelationOracle(limit: initial)
            // How much more calls and time each window has.
            let calls = Double.random(in: -0.2...2, using: &generator)
            let slope = Double.random(in: 0...20, using: &generator)
            for number in 0..<60 {
                let inFlight = 20 + Int(calls * Double(number))
                let noise = Int.random(in: 0...80, using: &generator)
                let time = 200 + Int(slope * Double(number)) + noise
                let isFull = Bool.random(using: &generator)
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
            #expect(reasons[reason, default: 0] > 20, "\(reason)")
        }
    }
}

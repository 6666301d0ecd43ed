import Testing

@testable import PledgeServices

@Suite struct CorrelationLimitTests {
    @Test func growsWithEachWindowWithoutAQueue() {
        var run = CorrelationRun()
        let limits = (0..<4).map { _ in
            run.window(100)
            return run.machine.limit
        }
        #expect(limits == [21, 22, 23, 24])
    }

    @Test func aStepIsTheLogarithm() {
        var run = CorrelationRun(100)
        run.window(100, inFlight: 100)
        #expect(run.machine.limit == 102)
    }

    @Test func aWindowHasFiftySamplesAndASecond() {
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
    func theWindowsOfASlowServiceAreLonger(milliseconds: Int, length: Int) {
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
    @Test func theShortestAnswerSetsTheLengthOfTheNextWindow() {
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

    @Test func aRoundTripOfManyCenturiesDoesNotTrap() {
        var run = CorrelationRun()
        run.window(9_000_000_000_000_000)
        #expect(run.machine.limit == 21)
    }

    @Test func theMostInFlightOfAWindowCounts() {
        var run = CorrelationRun()
        run.machine.record(.made(100, inFlight: 5, at: run.now))
        run.window(100, inFlight: 1)
        #expect(run.machine.limit == 21)
        run.window(100, inFlight: 1)
        #expect(run.machine.limit == 20)
    }

    @Test func isAtMostFiveTimesWhatIsInFlight() {
        var run = CorrelationRun()
        run.window(100, inFlight: 5)
        #expect(run.machine.limit == 21)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 20)
        run.window(100, inFlight: 4)
        #expect(run.machine.limit == 19)
    }

    @Test func aTenthOfDropsShrinksIt() {
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

    @Test func staysWithinItsBounds() {
        var run = CorrelationRun(20, 19...21)
        for _ in 0..<3 { run.window(100) }
        #expect(run.machine.limit == 21)
        for _ in 0..<5 { run.window(100, drops: 50) }
        #expect(run.machine.limit == 19)
    }

    @Test func aLongQueueShrinksIt() {
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

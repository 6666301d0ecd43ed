import Testing

@testable import PledgeServices

/// When a limit by the gradient measures the round trip without load anew.
@Suite struct GradientMeasurementTests {
    @Test func measuresAnewWithTheLeastLimitAndThenGoesOn() {
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

    @Test func theMedianIsMeasured() {
        var run = GradientRun()
        run.calls(26, 10)
        run.calls(24, 5_000)
        run.calls(50, 10)
        #expect(run.machine.limit == 5)
    }

    /// A client with few calls would measure for ever, with the least limit, and never see whether more could pass.
    @Test func measuresAnewOnlyAtTheEndOfAWindow() {
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
    @Test func aMeasurementTakesNothingOfTheWindowBefore() {
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
    @Test func measurementsOfManyClientsDoNotMeet() {
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
    @Test func measuresAnewAfterFiveWindowsAtTheLeast() {
        var run = GradientRun.measured()
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 1_000, apart: 30)
        run.calls(50, 1_000)
        #expect(run.machine.limit == 5)
    }

    @Test func aMeasurementBeginsTheCountOfWindowsAnew() {
        var run = GradientRun.measured()
        for _ in 0..<5 { run.calls(50, 1_000) }
        run.now += 2_000
        run.calls(50, 1_000, apart: 30)
        run.calls(50, 5_000)
        run.calls(50, 1_000)
        #expect(run.machine.limit == 5)
    }

    @Test func fourWindowsAtTheLeastAreNotEnough() {
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

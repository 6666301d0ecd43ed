import TestSupport
import Testing

@testable import PledgeServices

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

    @Test func agreesOverRandomWindows() {
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

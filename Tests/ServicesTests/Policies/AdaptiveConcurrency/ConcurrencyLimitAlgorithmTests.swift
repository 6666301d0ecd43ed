import PledgeFutures
import Testing

@testable import PledgeServices

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
    func eachHasItsDefaultBounds(
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

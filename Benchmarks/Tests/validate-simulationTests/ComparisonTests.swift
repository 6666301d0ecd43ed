import Testing

@testable import validate_simulation

@Suite struct ComparisonTests {
    @Test(arguments: [
        (1.09, 2.0, true), (0.91, 2.0, true), (1.11, 2.0, false), (0.89, 2.0, false),
        (1.0, 2.38, true), (1.0, 1.62, true), (1.0, 2.42, false), (1.0, 1.58, false),
        (Double.infinity, 2.0, false),
    ])
    func bothPercentilesHaveLimits(median: Double, tail: Double, isWithin: Bool) {
        let comparison = Self.comparison(.init(median: median, tail: tail))
        #expect(comparison.isWithinLimits == isWithin)
    }

    @Test func nothingMeasuredIsNotWithinTheLimits() {
        let nothing = Outcome(times: [], calls: 1, requests: 1)
        let comparison = Comparison(name: "load", measured: nothing, simulations: [nothing])
        #expect(!comparison.isWithinLimits)
    }

    @Test func aRowHasACellForEachHeading() {
        let row = Self.comparison(.init(median: 1.05, tail: 1.9)).row
        #expect(row.contains("+5.0 %") && row.contains("-5.0 %"))
        #expect(row.contains("1900.0 (1900.0–1900.0)") && row.hasSuffix("| yes |"))
        let cells = Comparison.head.map { $0.split(separator: "|").count }
        #expect(cells.allSatisfy { $0 == row.split(separator: "|").count })
    }

    private static func comparison(_ simulated: Outcome) -> Comparison {
        Comparison(name: "load", measured: Outcome(median: 1, tail: 2), simulations: [simulated])
    }
}

extension Outcome {
    fileprivate init(median: Double, tail: Double) {
        self.init(median: median, tail: tail, goodput: 1, amplification: 1)
    }
}

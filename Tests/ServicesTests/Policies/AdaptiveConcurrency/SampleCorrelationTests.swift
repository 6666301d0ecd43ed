import Testing

@testable import PledgeServices

@Suite struct SampleCorrelationTests {
    private func correlation(_ pairs: [(Double, Double)]) -> Double {
        var window = SampleCorrelation()
        return pairs.reduce(0) { window.add($1.0, $1.1) }
    }

    @Test func linesCorrelateFully() {
        let numbers = (1...20).map(Double.init)
        #expect(abs(correlation(numbers.map { ($0, 3 * $0 + 1) }) - 1) < 1e-12)
        #expect(abs(correlation(numbers.map { ($0, 100 - $0) }) + 1) < 1e-12)
    }

    @Test func tenPairsAreNeeded() {
        #expect(correlation((1...9).map { (Double($0), Double($0)) }) == 0)
        #expect(correlation((1...10).map { (Double($0), Double($0)) }) > 0.99)
    }

    @Test func whatHardlyVariesDoesNotCorrelate() {
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

    @Test func theLastFiftyCount() {
        let old = (1...30).map { (Double($0), Double(-$0)) }
        let new = (1...50).map { (Double($0), Double($0)) }
        #expect(correlation(old + new.dropLast()) < 0.9999)
        #expect(abs(correlation(old + new) - 1) < 1e-12)
    }
}

import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct PrometheusHistogramTests {
    @Test func aBoundIsIncluded() {
        var histogram = PrometheusHistogram()
        histogram.add(.milliseconds(5))
        histogram.add(.nanoseconds(5_000_001))
        histogram.add(.seconds(10))
        histogram.add(.seconds(11))
        #expect(histogram.cumulative.map(\.count) == [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3])
        #expect(histogram.count == 4)
        #expect(histogram.sum == .nanoseconds(21_010_000_001))
    }

    @Test func whatMakesNoSenseDoesNoHarm() {
        var histogram = PrometheusHistogram()
        histogram.add(.seconds(-5))
        for _ in 0..<3 { histogram.add(.seconds(Int64.max)) }
        #expect(histogram.cumulative.map(\.count).allSatisfy { $0 == 1 })
        #expect(histogram.count == 4)
        #expect(histogram.sum == .nanoseconds(Int64.max) * 3)
    }

    @Test func oracle() {
        let bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
        var chance = SeededGenerator(seed: 5)
        var histogram = PrometheusHistogram()
        var all: [Int] = []
        for _ in 0..<2_000 {
            let bound = Int.random(in: 1...20_000, using: &chance)
            all.append(Int.random(in: 0...bound, using: &chance))
            histogram.add(.milliseconds(all.last!))
        }
        #expect(histogram.cumulative.map(\.bound) == bounds.map { .milliseconds($0) })
        #expect(histogram.cumulative.map(\.count) == bounds.map { b in all.count { $0 <= b } })
        #expect(histogram.sum == .milliseconds(all.reduce(0, +)))
    }
}

import Testing

@testable import benchmarks

@Suite struct SampleTests {
    private func sample(_ rounds: [Double]) -> Sample {
        var sample = Sample(way: "way")
        sample.rounds = rounds
        return sample
    }

    @Test func medianAndSpreadIgnoreOrderAndOutliers() {
        let sample = sample([1_000, 9, 11, 10, 1])
        #expect(sample.median == 10)
        #expect(sample.spread == 0.1)
    }

    @Test func theRatioPairsTheRounds() {
        // The machine became ten times slower between the ways of the second round.
        let first = sample([10, 10, 100])
        let second = sample([20, 200, 200])
        #expect(first.ratio(to: second) == 0.5)
        #expect(second.ratio(to: first) == 2)
    }
}

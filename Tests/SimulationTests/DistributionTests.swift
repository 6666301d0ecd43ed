import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

@Suite(.oneAtATime) struct DistributionTests {
    private func samples(_ distribution: Distribution, _ count: Int = 100_000) -> [Double] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in Double(distribution.sample(&generator)) * 1e-9 }
    }

    @Test(arguments: [
        ("constant", Distribution.constant(.milliseconds(10))),
        ("uniform", .uniform(.milliseconds(2), .milliseconds(8))),
        ("exponential", .exponential(mean: .milliseconds(10))),
        ("log-normal", .logNormal(median: .milliseconds(10), sigma: 0.8)),
        ("Pareto", .pareto(minimum: .milliseconds(10), shape: 3)),
        ("bimodal", .bimodal(.milliseconds(10), .seconds(1), shareOfSecond: 0.01)),
        (
            "histogram",
            .histogram([(.milliseconds(1), 3), (.milliseconds(2), 0), (.milliseconds(10), 1)])
        ),
    ])
    func theMeanOfSamplesIsTheMean(name: String, distribution: Distribution) {
        let found = samples(distribution)
        let mean = found.reduce(0, +) / Double(found.count)
        #expect(abs(mean / distribution.meanInSeconds - 1) < 0.02, "\(name): \(mean)")
    }

    @Test func percentilesAreThoseOfTheFormulas() {
        let exponential = samples(.exponential(mean: .milliseconds(10))).sorted()
        #expect(abs(exponential[exponential.count * 99 / 100] / 0.04605 - 1) < 0.03)
        let logNormal = samples(.logNormal(median: .milliseconds(10), sigma: 0.5)).sorted()
        #expect(abs(logNormal[logNormal.count / 2] / 0.01 - 1) < 0.01)
        #expect(abs(logNormal[logNormal.count * 99 / 100] / 0.03200 - 1) < 0.03)
        let pareto = samples(.pareto(minimum: .milliseconds(10), shape: 2)).sorted()
        #expect(abs(pareto[pareto.count * 99 / 100] / 0.1 - 1) < 0.05)
        #expect(pareto[0] >= 0.01)
    }

    @Test func aHistogramGivesWhatItHas() {
        let found = samples(
            .histogram([(.milliseconds(1), 3), (.milliseconds(2), 0), (.milliseconds(10), 1)]))
        #expect(!found.contains { $0 > 0.001 && $0 < 0.002 })
        let share = Double(found.count { $0 <= 0.001 }) / Double(found.count)
        #expect(abs(share - 0.75) < 0.01)
        #expect(found.allSatisfy { $0 <= 0.010 })
    }

    @Test func aSeedGivesTheSameSamples() {
        let distribution = Distribution.logNormal(median: .milliseconds(10), sigma: 1)
        #expect(samples(distribution, 1_000) == samples(distribution, 1_000))
    }
}

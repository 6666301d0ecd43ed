import PledgeFutures
import Testing

@testable import validate_simulation

@Suite struct ServiceTimesTests {
    @Test(arguments: [
        ServiceTimes.uniform(0.02, 0.06), .pareto(minimum: 0.02, shape: 3),
        .bimodal(0.02, 0.2, shareOfSecond: 0.05),
    ])
    func drawnTimesHaveTheMeanOfTheSimulatedOnes(times: ServiceTimes) {
        var generator = SeededGenerator(seed: 1)
        let drawn = (0..<100_000).map { _ in times.draw(&generator) }
        let mean = drawn.reduce(0, +) / Double(drawn.count)
        #expect(abs(mean / times.distribution.meanInSeconds - 1) < 0.01)
        #expect(drawn.allSatisfy { $0 >= 0.02 })
    }

    @Test func paretoTimesHaveThePercentilesOfTheirFormula() throws {
        let times = ServiceTimes.pareto(minimum: 0.02, shape: 2)
        var generator = SeededGenerator(seed: 2)
        let drawn = (0..<100_000).map { _ in times.draw(&generator) }.sorted()
        #expect(abs(try #require(drawn.percentile(75)) - 0.04) < 0.001)
        #expect(abs(try #require(drawn.percentile(99)) - 0.2) < 0.01)
    }
}

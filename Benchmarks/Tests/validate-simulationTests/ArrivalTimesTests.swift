import Testing

@testable import validate_simulation

@Suite struct ArrivalTimesTests {
    @Test func poissonArrivalsHaveTheirRateAndNoMemory() {
        let times = ArrivalTimes.poisson(rate: 100, for: 1_000, seed: 1).seconds
        #expect(abs(Double(times.count) / 100_000 - 1) < 0.01)
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(distances.allSatisfy { $0 >= 0 })
        // Of exponential distances, e⁻¹ are longer than the mean.
        let longer = Double(distances.count { $0 > 0.01 }) / Double(distances.count)
        #expect(abs(longer - 0.368) < 0.005)
        #expect(times.allSatisfy { $0 < 1_000 })
    }

    @Test func aSeedGivesTheSameArrivals() {
        let times = ArrivalTimes.poisson(rate: 10, for: 10, seed: 1).seconds
        #expect(times == ArrivalTimes.poisson(rate: 10, for: 10, seed: 1).seconds)
        #expect(times != ArrivalTimes.poisson(rate: 10, for: 10, seed: 2).seconds)
    }

    @Test func evenArrivalsHaveEqualDistances() {
        #expect(ArrivalTimes.even(every: 0.5, count: 3).seconds == [0, 0.5, 1])
    }
}

import Testing

@testable import PledgeServices

@Suite struct MovingAverageTests {
    @Test func theFirstTenAreAveragedEvenly() {
        var average = MovingAverage(age: 5)
        let values = (1...10).map { average.add(Double($0)) }
        for (index, value) in values.enumerated() {
            #expect(abs(value - Double(index + 2) / 2) < 1e-12)
        }
    }

    @Test func laterValuesHaveAConstantWeight() {
        var average = MovingAverage(age: 5)
        for _ in 1...10 { _ = average.add(3) }
        #expect(abs(average.add(6) - 4) < 1e-12)
        #expect(abs(average.add(10) - 6) < 1e-12)
    }
}

import Testing

@testable import validate_simulation

@Suite struct OutcomeTests {
    @Test func percentilesAreRanks() {
        let numbers = (1...200).map(Double.init)
        #expect(numbers.percentile(50) == 100 && numbers.percentile(99) == 198)
        #expect(numbers.percentile(0) == 1 && numbers.percentile(100) == 200)
        #expect([7.0].percentile(99) == 7 && [Double]().percentile(50) == nil)
    }

    @Test func sharesAreOfTheCallsThatWereMade() {
        let outcome = Outcome(times: [0.3, 0.1, 0.2], calls: 4, requests: 6)
        #expect(outcome.median == 0.2 && outcome.tail == 0.3)
        #expect(outcome.goodput == 0.75 && outcome.amplification == 1.5)
    }

    @Test func percentilesAreInfiniteWhereAllCallsFail() {
        let outcome = Outcome(times: [], calls: 4, requests: 4)
        #expect(outcome.median == .infinity && outcome.tail == .infinity && outcome.goodput == 0)
    }

    @Test func aMeanHasTheMeanOfEachNumber() {
        let mean = Outcome(meanOf: [
            Outcome(median: 1, tail: 2, goodput: 0, amplification: 1),
            Outcome(median: 3, tail: 6, goodput: 1, amplification: 2),
        ])
        #expect(mean.median == 2 && mean.tail == 4)
        #expect(mean.goodput == 0.5 && mean.amplification == 1.5)
    }
}

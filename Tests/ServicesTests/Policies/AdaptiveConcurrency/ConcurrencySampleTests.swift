import Testing

@testable import PledgeServices

@Suite struct ConcurrencySampleTests {
    @Test func aRoundTripIsANanosecondAtLeast() {
        #expect(ConcurrencySample.made(5).roundTrip == 5_000_000)
        #expect(ConcurrencySample.made(0).roundTrip == 1)
        #expect(ConcurrencySample.made(-5).roundTrip == 1)
    }

    @Test(arguments: [
        (1, 1), (10, 1), (99, 1), (100, 2), (999, 2), (1_000, 3), (9_999, 3), (10_000, 4),
        (999_999, 5), (1_000_000, 6), (Int.max, 18),
    ])
    func aStepIsTheWholeDecimalLogarithm(limit: Int, step: Int) {
        #expect(wholeLogarithm(of: limit) == step)
    }
}

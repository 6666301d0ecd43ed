import Testing

@testable import PledgeServices

@Suite struct RoundTripWindowTests {
    @Test func percentilesAreWithinTwoPercent() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<50 {
            var window = RoundTripWindow()
            let times = (0..<101).map { _ in Int.random(in: 1...60_000, using: &generator) }
            for time in times { window.add(.made(time)) }
            for (share, index) in [(0.5, 50), (0.9, 90), (1, 100)] {
                let exact = Double(times.sorted()[index]) * 1e6
                #expect(abs(window.quantile(share) / exact - 1) < 0.02)
            }
        }
    }

    @Test func timesOutsideTheCountersAreInTheFirstAndTheLast() {
        var window = RoundTripWindow()
        window.add(.made(0))
        #expect(window.quantile(1) < 2_000)
        window.add(.made(10_000_000))
        #expect(window.quantile(1) > 6e10)
    }

    @Test func aDropIsLongerThanEveryAnswer() {
        var window = RoundTripWindow()
        for _ in 0..<9 { window.add(.made(1_000)) }
        window.add(.made(1, isDrop: true))
        #expect(window.quantile(0.9).isFinite)
        #expect(window.quantile(0.91) == .infinity)
    }

    @Test func clearingEmptiesAll() {
        var window = RoundTripWindow()
        window.add(.made(1_000))
        window.add(.made(1, isDrop: true))
        window.clear()
        #expect(window.count == 0)
        window.add(.made(10))
        #expect(abs(window.quantile(1) / 1e7 - 1) < 0.02)
    }
}

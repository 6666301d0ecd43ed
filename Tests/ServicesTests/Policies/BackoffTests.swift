import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct BackoffTests {
    /// The delays before the first retries, with the same random bits each time.
    func delays(_ backoff: Backoff, _ count: Int, bits: UInt64) -> [Double] {
        var previous: Duration?
        return (0..<count).map { retry in
            let delay = backoff.delay(before: retry, after: previous, bits: bits)
            previous = delay
            return delay / .milliseconds(1)
        }
    }

    let lowest = UInt64.min, middle = UInt64(1) << 63, highest = UInt64.max

    @Test func aBackoffWithFullJitterGoesFromZeroToTheDoubledBaseOrTheCap() {
        let backoff = Backoff.fullJitter(base: .milliseconds(100), cap: .milliseconds(1_000))
        #expect(delays(backoff, 6, bits: lowest) == [0, 0, 0, 0, 0, 0])
        #expect(delays(backoff, 6, bits: middle) == [50, 100, 200, 400, 500, 500])
        #expect(delays(backoff, 6, bits: highest) == [100, 200, 400, 800, 1_000, 1_000])
    }

    @Test func aBackoffWithEqualJitterHasAFixedHalf() {
        let backoff = Backoff.equalJitter(base: .milliseconds(100), cap: .milliseconds(1_000))
        #expect(delays(backoff, 6, bits: lowest) == [50, 100, 200, 400, 500, 500])
        #expect(delays(backoff, 6, bits: middle) == [75, 150, 300, 600, 750, 750])
        #expect(delays(backoff, 6, bits: highest) == [100, 200, 400, 800, 1_000, 1_000])
    }

    @Test func aBackoffWithDecorrelatedJitterGoesFromItsBaseToThreeTimesThePreviousDelay() {
        let backoff = Backoff.decorrelatedJitter(
            base: .milliseconds(100), cap: .milliseconds(1_000))
        #expect(delays(backoff, 4, bits: lowest) == [100, 100, 100, 100])
        #expect(delays(backoff, 4, bits: middle) == [200, 350, 575, 912.5])
        #expect(delays(backoff, 4, bits: highest) == [300, 900, 1_000, 1_000])
    }

    @Test func aBackoffWithFullJitterDoublesFromATenthOfASecondToTwentySecondsByDefault() {
        let twenty = Backoff.fullJitter()
        #expect(twenty.delay(before: 0, after: nil, bits: .max) == .milliseconds(100))
        #expect(twenty.delay(before: 7, after: nil, bits: .max) == .milliseconds(12_800))
        #expect(twenty.delay(before: 8, after: nil, bits: .max) == .seconds(20))
    }

    @Test func aBackoffsCapHoldsForAnyNumberOfRetries() {
        for backoff in [Backoff.fullJitter(), .equalJitter(), .decorrelatedJitter()] {
            for retry in [20, 37, 62, 63, 64, 65, 1_000, Int.max] {
                let delay = backoff.delay(before: retry, after: .seconds(Int64.max), bits: .max)
                #expect(delay == .seconds(20))
            }
        }
    }

    @Test func theLongestDurationsDoNotOverflowABackoff() {
        let longest = Duration.seconds(Int64.max)
        for make in [Backoff.fullJitter, Backoff.equalJitter, Backoff.decorrelatedJitter] {
            let delay = make(longest, longest).delay(before: 3, after: longest, bits: .max)
            #expect(delay == .nanoseconds(Int64.max))
        }
    }

    @Test func aBackoffsCapBelowItsBaseHolds() {
        for make in [Backoff.fullJitter, Backoff.equalJitter, Backoff.decorrelatedJitter] {
            let backoff = make(.seconds(2), .seconds(1))
            #expect(backoff.delay(before: 0, after: nil, bits: .max) == .seconds(1))
        }
    }

    @Test func aBackoffWithABaseOfZeroHasNoDelay() {
        for make in [Backoff.fullJitter, Backoff.equalJitter, Backoff.decorrelatedJitter] {
            #expect(make(.zero, .seconds(1)).delay(before: 99, after: .zero, bits: .max) == .zero)
        }
    }

    @Test func aConstantAndACustomBackoffDrawNoRandomNumber() {
        func noBits() -> UInt64 {
            Issue.record("no random number is needed")
            return 0
        }
        let constant = Backoff.constant(.seconds(3))
        #expect(constant.delay(before: 9, after: .seconds(1), bits: noBits()) == .seconds(3))
        let custom = Backoff.custom { retry, previous in
            .seconds(retry) + (previous ?? .milliseconds(1))
        }
        #expect(custom.delay(before: 0, after: nil, bits: noBits()) == .milliseconds(1))
        #expect(custom.delay(before: 2, after: .seconds(1), bits: noBits()) == .seconds(3))
        let negative = Backoff.custom { _, _ in .seconds(-1) }
        #expect(negative.delay(before: 0, after: nil, bits: noBits()) == .zero)
    }

    /// Compared with the formulas of the source, in floating point.
    @Test func aBackoffAgreesWithTheFormulasOverRandomArguments() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let base = Double(Int.random(in: 0...1_000_000_000, using: &generator))
            let cap = Double(Int.random(in: 0...100_000_000_000, using: &generator))
            let previous = Double(Int.random(in: 0...100_000_000_000, using: &generator))
            let retry = Int.random(in: 0...40, using: &generator)
            let bits = generator.next()
            let chance = Double(bits) * 0x1p-64
            var power = 1.0
            for _ in 0..<retry { power *= 2 }
            let ceiling = min(cap, base * power)
            func expect(_ make: (Duration, Duration) -> Backoff, _ expected: Double) {
                let delay = make(.nanoseconds(Int64(base)), .nanoseconds(Int64(cap)))
                    .delay(before: retry, after: .nanoseconds(Int64(previous)), bits: bits)
                #expect(abs(delay / .nanoseconds(1) - expected) <= 2)
            }
            expect(Backoff.fullJitter, chance * ceiling)
            expect(Backoff.equalJitter, ceiling / 2 + chance * ceiling / 2)
            let end = max(base, previous * 3)
            expect(Backoff.decorrelatedJitter, min(cap, base + chance * (end - base)))
        }
    }

    #if os(macOS) || os(Linux)
    @Test func aBackoffsNegativeBaseTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Backoff.fullJitter(base: .seconds(-1)) }
        expectTrap("a backoff needs a base of zero or more", in: result)
    }

    @Test func aBackoffsNegativeCapTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Backoff.decorrelatedJitter(cap: .seconds(-1)) }
        expectTrap("a backoff needs a cap of zero or more", in: result)
    }

    @Test func aNegativeConstantBackoffTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Backoff.constant(.seconds(-1)) }
        expectTrap("a backoff needs a delay of zero or more", in: result)
    }
    #endif
}

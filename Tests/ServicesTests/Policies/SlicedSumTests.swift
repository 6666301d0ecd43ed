import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct SlicedSumTests {
    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// A box for the sum, since `#expect` calls no mutating methods.
    final class Sum {
        private var sliced: SlicedSum

        init(over window: Duration, slices: Int) {
            sliced = SlicedSum(over: window, slices: slices)
        }

        func add(_ number: Int64, at instant: SchedulerInstant) { sliced.add(number, at: instant) }
        func sum(at instant: SchedulerInstant) -> Int64 { sliced.sum(at: instant) }
    }

    @Test func aNumberAddedToASlicedSumExpiresWithItsSlice() {
        let sum = Sum(over: .seconds(10), slices: 10)
        sum.add(1, at: at(0))
        sum.add(2, at: at(999))
        sum.add(4, at: at(1_000))
        #expect(sum.sum(at: at(9_999)) == 7)
        #expect(sum.sum(at: at(10_000)) == 4)
        #expect(sum.sum(at: at(10_999)) == 4)
        #expect(sum.sum(at: at(11_000)) == 0)
    }

    @Test func aLongPauseEmptiesASlicedSum() {
        let sum = Sum(over: .seconds(10), slices: 10)
        for second in 0..<10 { sum.add(1, at: at(second * 1_000)) }
        #expect(sum.sum(at: at(9_000)) == 10)
        #expect(sum.sum(at: at(1_000_000_000)) == 0)
        sum.add(3, at: at(1_000_000_000))
        #expect(sum.sum(at: at(1_000_000_001)) == 3)
    }

    @Test func aSlicedSumTakesAnEarlierInstantForTheNewest() {
        let sum = Sum(over: .seconds(10), slices: 10)
        sum.add(1, at: at(20_000))
        sum.add(2, at: at(5_000))
        #expect(sum.sum(at: at(0)) == 3)
        #expect(sum.sum(at: at(29_999)) == 3)
        #expect(sum.sum(at: at(30_000)) == 0)
    }

    @Test func aSlicedSumTakesInstantsBeforeTheOrigin() {
        let sum = Sum(over: .seconds(10), slices: 10)
        sum.add(1, at: at(-5_500))
        sum.add(2, at: at(-1))
        #expect(sum.sum(at: at(3_999)) == 3)
        #expect(sum.sum(at: at(4_000)) == 2)
        #expect(sum.sum(at: at(9_000)) == 0)
    }

    @Test func aSlicedSumOverAVeryShortWindowHasSlicesOfANanosecond() {
        let sum = Sum(over: .nanoseconds(3), slices: 10)
        sum.add(1, at: SchedulerInstant(offset: .nanoseconds(0)))
        #expect(sum.sum(at: SchedulerInstant(offset: .nanoseconds(9))) == 1)
        #expect(sum.sum(at: SchedulerInstant(offset: .nanoseconds(10))) == 0)
    }

    /// Compared with a list of everything that was added.
    @Test func aSlicedSumAgreesWithAListOverRandomScripts() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let slices = Int.random(in: 1...12, using: &generator)
            let width = Int.random(in: 1...50, using: &generator)
            let sum = Sum(over: .milliseconds(slices * width), slices: slices)
            var added: [(slice: Int, number: Int64)] = []
            var now = Int.random(in: 0...1_000, using: &generator)
            for _ in 0..<200 {
                now += Int.random(in: 0...(width * 2), using: &generator)
                if Int.random(in: 0..<50, using: &generator) == 0 { now += slices * width * 3 }
                if Bool.random(using: &generator) {
                    let number = Int64.random(in: -5...5, using: &generator)
                    added.append((now / width, number))
                    sum.add(number, at: at(now))
                }
                let expected = added.filter { $0.slice > now / width - slices }
                    .reduce(0 as Int64) { $0 + $1.number }
                #expect(sum.sum(at: at(now)) == expected)
            }
        }
    }
}

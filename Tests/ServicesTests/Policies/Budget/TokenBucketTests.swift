import TestSupport
import Testing

@testable import PledgeServices

@Suite struct TokenBucketTests {
    @Test func fiveAdditionsOfAFifthAreOneToken() {
        var bucket = TokenBucket(capacity: 10, share: 0.2, initial: 0)
        for _ in 0..<4 { bucket.add() }
        #expect(bucket.balance == 0)
        let (early, _) = (bucket.take(), bucket.add())
        #expect(!early)
        #expect(bucket.balance == 1)
        let (first, second) = (bucket.take(), bucket.take())
        #expect(first && !second)
    }

    @Test(arguments: [(0.1, 10), (0.2, 5), (0.25, 4), (0.29, 4), (0.5, 2), (0.7, 2), (1, 1)])
    func sharesAreExact(share: Double, additions: Int) {
        var bucket = TokenBucket(capacity: 10, share: share, initial: 0)
        for _ in 1..<additions { bucket.add() }
        let early = bucket.take()
        bucket.add()
        let late = bucket.take()
        #expect(!early && late)
    }

    @Test func nothingIsAddedAboveTheCapacity() {
        var bucket = TokenBucket(capacity: 2, share: 1, initial: 1)
        for _ in 0..<9 { bucket.add() }
        #expect(bucket.balance == 2)
        bucket.putBack(9)
        #expect(bucket.balance == 2)
        var none = TokenBucket(capacity: 0, share: 1, initial: 0)
        none.add()
        let taken = none.take()
        #expect(!taken)
    }

    @Test func theLargestNumbersDoNotOverflow() {
        var bucket = TokenBucket(
            capacity: 1_000_000, share: .leastNonzeroMagnitude, initial: 1_000_000)
        bucket.add()
        bucket.putBack(1_000_000)
        #expect(bucket.balance == 1_000_000)
    }

    /// Compared with fractions of whole numbers.
    @Test func agreesWithASequentialOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            let (capacity, price) = (
                Int.random(in: 0...3, using: &generator),
                [10, 5, 4, 2, 1].randomElement(using: &generator) ?? 1
            )
            var bucket = TokenBucket(
                capacity: capacity, share: 1 / Double(price), initial: capacity)
            var parts = capacity * price
            for _ in 0..<300 {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    bucket.add()
                    parts = min(capacity * price, parts + 1)
                case 1:
                    let mayTake = parts >= price
                    let taken = bucket.take()
                    #expect(taken == mayTake)
                    if mayTake { parts -= price }
                default:
                    bucket.putBack()
                    parts = min(capacity * price, parts + price)
                }
                #expect(bucket.balance == parts / price)
            }
        }
    }
}

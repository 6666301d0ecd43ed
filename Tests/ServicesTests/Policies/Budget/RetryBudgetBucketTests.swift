import Futures
import TestSupport
import Testing

@testable import Services

@Suite struct RetryBudgetBucketTests {
    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// A box for the bucket, since `#expect` calls no mutating methods.
    final class Bucket {
        private var bucket: RetryBudgetBucket

        init(_ bucket: RetryBudgetBucket) { self.bucket = bucket }

        func deposit(at instant: SchedulerInstant) { bucket.deposit(at: instant) }
        func withdraw(at instant: SchedulerInstant) -> Bool { bucket.withdraw(at: instant) }
        func balance(at instant: SchedulerInstant) -> Int { bucket.balance(at: instant) }
    }

    func bucket(
        _ ttl: Duration = .seconds(10), perSecond: Int = 0, share: Double = 0.2
    ) -> Bucket {
        Bucket(
            RetryBudgetBucket(
                ttl: ttl, minRetries: Int(Double(perSecond) * (ttl / .seconds(1))),
                percentCanRetry: share))
    }

    @Test func fiveRequestsAllowForOneRetry() {
        let bucket = self.bucket()
        for _ in 0..<4 { bucket.deposit(at: at(0)) }
        #expect(!bucket.withdraw(at: at(0)))
        bucket.deposit(at: at(0))
        #expect(bucket.balance(at: at(0)) == 1)
        #expect(bucket.withdraw(at: at(0)))
        #expect(!bucket.withdraw(at: at(0)))
    }

    @Test func theReserveIsThereWithoutRequestsAndComesBackAfterTheWindow() {
        let bucket = self.bucket(perSecond: 10)
        #expect(bucket.balance(at: at(0)) == 100)
        for _ in 0..<100 { #expect(bucket.withdraw(at: at(500))) }
        #expect(!bucket.withdraw(at: at(500)))
        #expect(!bucket.withdraw(at: at(9_999)))
        #expect(bucket.balance(at: at(10_000)) == 100)
    }

    @Test func depositsExpire() {
        let bucket = self.bucket(share: 1)
        bucket.deposit(at: at(0))
        bucket.deposit(at: at(5_000))
        #expect(bucket.balance(at: at(9_999)) == 2)
        #expect(bucket.balance(at: at(10_000)) == 1)
        #expect(bucket.balance(at: at(15_000)) == 0)
    }

    /// A withdrawal may outlive the deposit that allowed it; the balance is not shown below zero.
    @Test func aDebtIsPaidBeforeThereIsABalance() {
        let bucket = self.bucket(share: 1)
        bucket.deposit(at: at(0))
        #expect(bucket.withdraw(at: at(9_000)))
        #expect(bucket.balance(at: at(10_000)) == 0)
        bucket.deposit(at: at(10_000))
        #expect(!bucket.withdraw(at: at(10_000)))
        bucket.deposit(at: at(10_000))
        #expect(bucket.withdraw(at: at(10_000)))
    }

    @Test func withoutAShareOnlyTheReserveCounts() {
        let bucket = self.bucket(perSecond: 1, share: 0)
        for _ in 0..<1_000 { bucket.deposit(at: at(0)) }
        #expect(bucket.balance(at: at(0)) == 10)
        let none = self.bucket(perSecond: 0, share: 0)
        none.deposit(at: at(0))
        #expect(!none.withdraw(at: at(0)))
    }

    @Test func aPartOfASecondGivesAPartOfTheReserve() {
        let half = self.bucket(.milliseconds(500), perSecond: 10)
        #expect(half.balance(at: at(0)) == 5)
        let long = self.bucket(.milliseconds(2_500), perSecond: 10)
        #expect(long.balance(at: at(0)) == 25)
    }

    @Test(arguments: [(0.1, 10), (0.2, 5), (0.25, 4), (0.29, 4), (0.5, 2), (0.7, 2), (1, 1)])
    func sharesAreExact(share: Double, requests: Int) {
        let bucket = self.bucket(share: share)
        for _ in 0..<(requests - 1) { bucket.deposit(at: at(0)) }
        #expect(!bucket.withdraw(at: at(0)))
        bucket.deposit(at: at(0))
        #expect(bucket.withdraw(at: at(0)))
    }

    @Test func theLargestNumbersDoNotOverflow() {
        let bucket = self.bucket(
            .seconds(3_600), perSecond: 1_000_000, share: .leastNonzeroMagnitude)
        for _ in 0..<1_000 { bucket.deposit(at: at(0)) }
        #expect(bucket.balance(at: at(0)) == 3_600_000_000)
        #expect(bucket.withdraw(at: at(0)))
        #expect(bucket.balance(at: at(0)) == 3_599_999_999)
    }

    /// Compared with two lists, of deposits and of withdrawals.
    @Test func agreesWithASequentialOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            let perSecond = Int.random(in: 0...2, using: &generator)
            let price = [10, 5, 4, 2, 1].randomElement(using: &generator) ?? 1
            let bucket = self.bucket(perSecond: perSecond, share: 1 / Double(price))
            var deposits: [Int] = [], withdrawals: [Int] = []
            var now = 0
            for _ in 0..<300 {
                now += Int.random(in: 0...400, using: &generator)
                let isAlive = { (second: Int) in second > now / 1_000 - 10 }
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    bucket.deposit(at: at(now))
                    deposits.append(now / 1_000)
                } else {
                    let credit = deposits.count(where: isAlive) + perSecond * 10 * price
                    let mayRetry = credit - withdrawals.count(where: isAlive) * price >= price
                    #expect(bucket.withdraw(at: at(now)) == mayRetry)
                    if mayRetry { withdrawals.append(now / 1_000) }
                }
            }
        }
    }
}

import PledgeFutures
import ServicesTestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct MemoryPolicyStoreTests {
    let scheduler = ManualScheduler()

    func take(
        _ tokens: Double, from store: MemoryPolicyStore, rate: Double = 2, overdraft: Double = 0,
        lifetime: Duration = .seconds(60)
    ) -> BucketGrant? {
        store.takeTokens(
            BucketRequest(
                tokens, from: "a", capacity: 4, tokensPerSecond: rate, overdraft: overdraft,
                lifetime: lifetime)
        ).valueNow
    }

    @Test func aMemoryStoresBucketIsFullAtFirstAndFillsByTheStoresClock() {
        let store = MemoryPolicyStore(on: scheduler)
        #expect(take(3, from: store) == BucketGrant(isGranted: true, level: 1))
        #expect(take(2, from: store) == BucketGrant(isGranted: false, level: 1))
        scheduler.advance(by: .milliseconds(500))
        #expect(take(2, from: store) == BucketGrant(isGranted: true, level: 0))
        scheduler.advance(by: .seconds(50))
        #expect(take(1, from: store) == BucketGrant(isGranted: true, level: 3))
    }

    @Test func tokensThatArePutIntoAStoresBucketStayUpToItsCapacity() {
        let store = MemoryPolicyStore(on: scheduler)
        #expect(take(4, from: store, rate: 0) == BucketGrant(isGranted: true, level: 0))
        scheduler.advance(by: .seconds(9))
        #expect(take(1, from: store, rate: 0) == BucketGrant(isGranted: false, level: 0))
        #expect(take(-1.5, from: store, rate: 0) == BucketGrant(isGranted: true, level: 1.5))
        #expect(take(-9, from: store, rate: 0) == BucketGrant(isGranted: true, level: 4))
    }

    @Test func aMemoryStoresBucketIsOverdrawnUpToTheOverdraft() {
        let store = MemoryPolicyStore(on: scheduler)
        #expect(take(6, from: store, overdraft: 2) == BucketGrant(isGranted: true, level: -2))
        #expect(take(1, from: store, overdraft: 2) == BucketGrant(isGranted: false, level: -2))
        scheduler.advance(by: .seconds(1))
        #expect(take(1, from: store) == BucketGrant(isGranted: false, level: 0))
    }

    @Test func aMemoryStoresBucketIsFullAgainAfterItsLifetimeAndNotBefore() {
        let store = MemoryPolicyStore(on: scheduler)
        #expect(take(4, from: store, rate: 0)?.level == 0)
        scheduler.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(take(0, from: store, rate: 0)?.level == 0)
        scheduler.advance(by: .seconds(60))
        #expect(take(0, from: store, rate: 0)?.level == 4)
    }

    /// A late thread, or a server whose clock was set back.
    @Test func anEarlierInstantNeitherFillsNorEmptiesABucket() {
        var buckets = Expiring<StoredBucket>()
        let request = BucketRequest(
            1, from: "a", capacity: 4, tokensPerSecond: 2, overdraft: 0, lifetime: .seconds(60))
        let late = SchedulerInstant(offset: .seconds(10))
        #expect(buckets.takeTokens(request, at: late).level == 3)
        #expect(buckets.takeTokens(request, at: SchedulerInstant(offset: .zero)).level == 2)
        #expect(buckets.takeTokens(request, at: late).level == 1)
    }

    @Test func aMemoryStoreFindsAValueUntilItsLifetimeEnds() {
        let store = MemoryPolicyStore(on: scheduler)
        #expect(store.value(for: "a").valueNow == .some(nil))
        _ = store.set([1], for: "a", lifetime: .seconds(2))
        scheduler.advance(by: .seconds(1))
        _ = store.set([2], for: "a", lifetime: .seconds(2))
        scheduler.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(store.value(for: "a").valueNow == [2])
        scheduler.advance(by: .nanoseconds(1))
        #expect(store.value(for: "a").valueNow == .some(nil))
        _ = store.set([3], for: "a", lifetime: .seconds(2))
        _ = store.set(nil, for: "a", lifetime: .seconds(2))
        #expect(store.value(for: "a").valueNow == .some(nil))
    }

    @Test func aMemoryStoreFreesExpiredValues() {
        var values = Expiring<Int>()
        for number in 0..<10_000 {
            let now = SchedulerInstant(offset: .seconds(number))
            values.set(number, for: "\(number)", lifetime: .seconds(10), at: now)
        }
        #expect(values.count < 50)
    }

    @Test("only new keys free expired entries, for constant time each")
    func onlyNewKeysFreeExpiredEntries() {
        for live in 1...200 {
            var values = Expiring<Int>()
            var (removals, removalsByOthers) = (0, 0)
            for number in 0..<2_000 {
                let now = SchedulerInstant(offset: .seconds(number))
                let count = values.count
                values.set(number, for: "\(number)", lifetime: .seconds(live), at: now)
                if values.count <= count { removals += 1 }
                let all = values.count
                values.set(number, for: "\(number)", lifetime: .seconds(live), at: now)
                values.set(nil, for: "unknown", lifetime: .seconds(live), at: now)
                if values.count != all { removalsByOthers += 1 }
            }
            // Each removal looks at the live entries and at as many expired ones.
            #expect(removals * live <= 4_000 && removalsByOthers == 0, "\(live)")
        }
    }
}

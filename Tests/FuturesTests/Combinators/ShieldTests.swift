import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureShieldTests {
    @Test func aShieldKeepsTheProducerGoing() {
        let (promise, calls) = (Promise<Int>(), TestLog<Int>())
        promise.onCancel { calls.append(1) }
        let shield = promise.map { $0 + 1 }.shielded()
        shield.map { $0 }.cancel()
        #expect(shield.result == nil)
        let other = promise.shielded()
        other.cancel()
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 1)
        #expect(shield.valueNow == 2)
        #expect(other.isCancelled)
    }

    @Test func aShieldAndAFollowerKeepTheOrigin() {
        let promise = Promise<Int>()
        let failing = promise.map(
            { _ -> Int in throw TestError() }, fileID: "Test/Throws.swift", line: 3)
        let (shield, follower) = (failing.shielded(), Promise<Int>())
        follower.follow(failing)
        promise.resolve(with: 1)
        #expect(shield.failureOrigin?.description == "Test/Throws.swift:3")
        #expect(follower.failureOrigin?.description == "Test/Throws.swift:3")
    }

    @Test func aShieldKeepsNothingAliveAfterwards() {
        let census = Census()
        let promise = Promise<Tracked>()
        weak var shield: Future<Tracked>?
        do {
            let shielded = promise.shielded()
            shield = shielded
            // Until the promise settles, it keeps the shield.
        }
        #expect(shield != nil)
        promise.resolve(with: Tracked(census))
        #expect(shield == nil)
        // A pending source isn't kept by its shield either.
        let abandoned = Promise<Int>().shielded()
        #expect((abandoned.errorNow as? FutureError)?.code == .abandoned)
    }
}

import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// A throttle used by several threads.
@Suite(.oneAtATime) struct AdaptiveThrottleSharingTests {
    let scheduler = ManualScheduler()

    /// Each call is counted once: refused ones, those that fail at once, and those that are cancelled.
    @Test func threadsLoseNoCount() {
        let throttle = AdaptiveThrottle(
            rule: .acceptMultiplier(1), maxProbability: 1, minimumRate: 0, on: scheduler,
            random: .seeded(11))
        let reached = Locked((failed: 0, givenUp: [Promise<Int>]())), refused = Locked(0)
        let service = stack(
            .throttle(sharing: throttle),
            over: { (ask: Ask) -> Future<Int> in
                if ask.number % 5 == 0 {
                    let promise = Promise<Int>()
                    reached.withLock { $0.givenUp.append(promise) }
                    return promise
                }
                reached.withLock { $0.failed += 1 }
                return Future(error: Broken())
            })
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for number in 0..<2_000 {
                let call = service(Ask(number))
                if call.serviceError?.code == .throttled { refused.withLock { $0 += 1 } }
                call.cancel()
            }
        }
        let (ends, refusals) = (reached.withLock { $0 }, refused.withLock { $0 })
        #expect(ends.failed + ends.givenUp.count + refusals == 8_000)
        // Nothing is accepted, so the quotient shows how many calls are counted.
        let counted = Double(ends.failed + refusals)
        let probability = throttle.probability
        #expect(abs(probability - counted / (counted + 1)) < 1e-12)
    }

    /// The stack may be called by an observer and by the source of chance, since no lock is held.
    @Test func observersAndTheSourceMayCallTheStackItself() {
        struct Nesting: RandomNumberGenerator, Sendable {
            let call: @Sendable () -> Void
            func next() -> UInt64 {
                call()
                return 0
            }
        }
        let read = Locked<AdaptiveThrottle?>(nil)
        let seen = Locked<[Double]>([])
        let look: @Sendable () -> Void = {
            let probability = read.withLock { $0 }?.probability ?? -1
            seen.withLock { $0.append(probability) }
        }
        let throttle = AdaptiveThrottle(
            minimumRate: 0, on: scheduler, random: RandomSource(Nesting(call: look)))
        read.withLock { $0 = throttle }
        let service = stack(
            .observed(by: ServiceObserver { _ in look() }, on: scheduler),
            .throttle(sharing: throttle), over: { (_: Ask) in Future<Int>(error: Broken()) })
        _ = (service(1), service(2))
        #expect(seen.withLock { $0.contains(0.5) })
        read.withLock { $0 = nil }
    }
}

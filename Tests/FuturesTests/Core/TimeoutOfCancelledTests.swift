import CDisturbance
import CPledgeFutures
import PledgeFutures
import Synchronization
import TestSupport
import Testing

/// A future is cancelled while its deliverer is about to write its value; the deliverer then removes the
/// value again.
///
/// A future derived from it must not read that value, which may be freed meanwhile.
@Suite(.oneAtATime)
struct TimeoutOfCancelledTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func aTimeoutOfACancelledFutureKeepsNoValue(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scheduler = ManualScheduler()
        for _ in 0..<150 {
            let census = Census()
            let promise = Promise<Int>()
            let isInTransform = Atomic<Bool>(false)
            let source = promise.map { _ in
                isInTransform.store(true, ordering: .relaxed)
                return Tracked(census)
            }
            let timed = source.timeout(.seconds(1), on: scheduler)
            let seeds = (0..<2).map { _ in generator.next() | 1 }
            onThreads(2) { thread in
                disturb(seeds[thread])
                if thread == 0 {
                    promise.resolve(with: 1)
                } else {
                    var turns: UInt32 = 0
                    while !isInTransform.load(ordering: .relaxed) { cfutures_relax(&turns) }
                    source.cancel()
                }
                disturb(0)
            }
            if case .failure? = timed.result { #expect(census.living == 0, "seed \(seed)") }
        }
    }
}

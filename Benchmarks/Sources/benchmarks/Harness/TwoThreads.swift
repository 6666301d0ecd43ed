import Foundation
import Synchronization

/// Work that two threads do at the same time.
struct TwoThreads: Sendable {
    let first: @Sendable () -> Void
    let second: @Sendable () -> Void

    /// Does the work, and returns the time from when both threads were ready until the last one finished.
    ///
    /// The threads read the clock themselves, because a thread that waits for them may be woken late.
    func run() -> Duration {
        let start = StartingLine()
        let done = DispatchSemaphore(value: 0)
        for body in [first, second] {
            Thread.detachNewThread {
                start.waitForTheOther()
                let began = ContinuousClock.now
                body()
                start.note(began, .now)
                done.signal()
            }
        }
        done.wait()
        done.wait()
        return start.time
    }
}

extension Way {
    /// A way with two threads, which prepares only a few thousand operations at a time.
    ///
    /// That way the prepared objects are still in the processor's caches when they are used. The cost of one
    /// operation is the median of these batches. If the system stops a thread for a moment, its batch takes ten times
    /// as long, and a few such batches would change a mean.
    init(contending name: String, _ prepare: @escaping @Sendable (_ count: Int) -> TwoThreads) {
        self.init(measuring: name) { count in
            var times: [Double] = []
            for start in stride(from: 0, to: count, by: 5_000) {
                let size = min(count - start, 5_000)
                times.append(prepare(size).run() / .nanoseconds(1) / Double(size))
            }
            let time = Duration.nanoseconds(quantile(0.5, of: times) * Double(count))
            return Cost(time: time, allocations: 0, bytes: 0)
        }
    }
}

/// Creates objects for two threads to use at the same time, in an order that isn't the order of their addresses.
///
/// Neighbours in memory share a cache line. In the order of addresses, each thread would also wait for the other
/// thread's work on neighbouring objects, and the measurement would depend on the sizes of objects.
func scattered<Object>(_ count: Int, _ make: () -> Object) -> [Object] {
    (0..<count).map { _ in make() }.shuffled()
}

/// A barrier for two threads, which also records when they ran.
private final class StartingLine: Sendable {
    private let ready = Atomic<Int>(0)
    private let times = Mutex<(first: ContinuousClock.Instant, last: ContinuousClock.Instant)?>(nil)

    /// Spins until both threads are ready, so that they begin within nanoseconds of each other.
    func waitForTheOther() {
        ready.add(1, ordering: .acquiringAndReleasing)
        while ready.load(ordering: .acquiring) < 2 {}
    }

    func note(_ began: ContinuousClock.Instant, _ ended: ContinuousClock.Instant) {
        times.withLock { times in
            times = (min(began, times?.first ?? began), max(ended, times?.last ?? ended))
        }
    }

    /// The time from the earliest start to the latest end.
    var time: Duration {
        times.withLock { times in times.map { $0.last - $0.first } ?? .zero }
    }
}

import Foundation
import Synchronization

/// Work that two threads do at once.
struct TwoThreads: Sendable {
    let first: @Sendable () -> Void
    let second: @Sendable () -> Void

    /// Does it, and tells how long it took, from when both were ready to when the last was done.
    ///
    /// The threads themselves read the clock: a thread that waits for them may be woken late.
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
    /// A way of two threads, made ready a few thousand operations at a time: what is made ready
    /// should not have left the processor's caches when it is used.
    ///
    /// What one operation took is the middle of these. A thread that the system stops for a moment
    /// makes one of them last ten times as long, and a few such would decide a mean.
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

/// Makes objects that two threads will meet at, in another order than that of their addresses.
///
/// Neighbours in memory have a cache line in common. In order, a thread would also wait for what the
/// other does to the objects before and behind, and the sizes of objects would be what is measured.
func scattered<Object>(_ count: Int, _ make: () -> Object) -> [Object] {
    (0..<count).map { _ in make() }.shuffled()
}

/// Where two threads wait for each other, and note when they ran.
private final class StartingLine: Sendable {
    private let ready = Atomic<Int>(0)
    private let times = Mutex<(first: ContinuousClock.Instant, last: ContinuousClock.Instant)?>(nil)

    /// Spins, so that both begin within nanoseconds of each other.
    func waitForTheOther() {
        ready.add(1, ordering: .acquiringAndReleasing)
        while ready.load(ordering: .acquiring) < 2 {}
    }

    func note(_ began: ContinuousClock.Instant, _ ended: ContinuousClock.Instant) {
        times.withLock { times in
            times = (min(began, times?.first ?? began), max(ended, times?.last ?? ended))
        }
    }

    /// From the earliest beginning to the latest end.
    var time: Duration {
        times.withLock { times in times.map { $0.last - $0.first } ?? .zero }
    }
}

import CAllocations

/// The cost of some work.
struct Cost: Sendable {
    var time: Duration
    /// The number of allocations; zero unless they are being counted.
    var allocations: UInt64
    /// The number of bytes allocated; zero unless allocations are being counted.
    var bytes: UInt64

    /// Does some work, and returns its cost.
    static func of(_ work: () throws -> Void) rethrows -> Cost {
        let before = Reading()
        try work()
        return Reading().since(before)
    }

    /// Does some work with each of many objects, which are created in batches before the work.
    ///
    /// A batch has a few hundred objects, so that they are still in the processor's cache.
    static func ofBatches<Thing>(
        _ count: Int, with make: () -> Thing, _ work: (Thing) -> Void
    ) -> Cost {
        var total = Cost(time: .zero, allocations: 0, bytes: 0)
        for start in stride(from: 0, to: count, by: 256) {
            let things = (0..<min(256, count - start)).map { _ in make() }
            let cost = Cost.of { for thing in things { work(thing) } }
            total.time += cost.time
            total.allocations += cost.allocations
            total.bytes += cost.bytes
        }
        return total
    }

    /// Does some work that suspends, and returns its cost.
    static func of(_ work: () async -> Void) async -> Cost {
        let before = Reading()
        await work()
        return Reading().since(before)
    }
}

/// The clock and the counters at one moment.
private struct Reading {
    let counts = counted_allocations()
    let instant = ContinuousClock.now

    func since(_ earlier: Reading) -> Cost {
        Cost(
            time: instant - earlier.instant,
            allocations: counts.allocations - earlier.counts.allocations,
            bytes: counts.bytes - earlier.counts.bytes
        )
    }
}

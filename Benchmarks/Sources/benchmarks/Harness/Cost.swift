import CAllocations

/// What some work took.
struct Cost: Sendable {
    var time: Duration
    /// Zero unless allocations are being counted.
    var allocations: UInt64
    /// The bytes that these asked for.
    var bytes: UInt64

    /// Does some work, and tells what it took.
    static func of(_ work: () throws -> Void) rethrows -> Cost {
        let before = Reading()
        try work()
        return Reading().since(before)
    }

    /// Does some work that suspends, and tells what it took.
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

import PledgeFutures
import PledgeServices

/// The number of calls in each stretch of time.
///
/// All stretches are equally long.
final class CallTally: Sendable {
    private let stretch: Duration
    private let counts = Locked<[Int]>([])

    /// Creates an empty tally.
    init(each stretch: Duration = .seconds(1)) { self.stretch = stretch }

    /// Counts a call at an instant of a simulation.
    func add(at instant: SchedulerInstant) {
        let index = Int(instant.offset.nanoseconds / stretch.nanoseconds)
        counts.withLock { counts in
            while counts.count <= index { counts.append(0) }
            counts[index] += 1
        }
    }

    /// The counts, from the beginning up to the last call.
    var all: [Int] { counts.withLock { $0 } }

    /// Returns the number of calls in some stretches.
    func sum(in range: Range<Int>) -> Int {
        let counts = all
        return counts[range.clamped(to: 0..<counts.count)].reduce(0, +)
    }

    /// Returns the largest count, from a given stretch on.
    func peak(from start: Int = 0) -> Int { all.dropFirst(start).max() ?? 0 }
}

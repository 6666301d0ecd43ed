package import PledgeFutures

/// A sum over a sliding window, kept in slices of time that expire one after the other.
///
/// Slices lie at multiples of their width from the scheduler's origin. A number expires one window length after its
/// slice began. With n slices, it counts for at least (n − 1)/n of the window, and at most for all of it. (Finagle's
/// WindowedAdder keeps the same slices, from another origin.) Adding and reading take constant time for a constant
/// number of slices, and allocate nothing after the first time.
package struct SlicedSum: Sendable {
    private var slices: [Int64]
    /// The width of a slice, in nanoseconds.
    private let width: Int64
    /// The number of the newest slice, counted from the origin.
    private var newest = Int64.min
    /// The end of the newest slice; before this instant, no division is needed to find the slice.
    private var end = SchedulerInstant(offset: .nanoseconds(Int64.min))
    private var total: Int64 = 0

    /// Creates an empty sum.
    ///
    /// - Parameters:
    ///   - window: The length of the window; more than zero.
    ///   - count: The number of slices.
    package init(over window: Duration, slices count: Int) {
        precondition(window > .zero && count > 0, "a window needs a length and slices")
        slices = Array(repeating: 0, count: count)
        width = max(1, window.nanoseconds / Int64(count))
    }

    package mutating func sum(at instant: SchedulerInstant) -> Int64 {
        turn(to: instant)
        return total
    }

    /// Adds a number, which may be negative, at an instant.
    package mutating func add(_ number: Int64, at instant: SchedulerInstant) {
        turn(to: instant)
        slices[index(of: newest)] += number
        total += number
    }

    /// Empties the slices that have expired.
    ///
    /// A late thread may call this with an instant before the newest slice. Such an instant counts as part of the
    /// newest slice.
    private mutating func turn(to instant: SchedulerInstant) {
        if instant < end { return }
        let nanoseconds = instant.offset.nanoseconds
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: width)
        let slice = remainder < 0 ? quotient - 1 : quotient
        guard slice > newest else { return }
        let isFirst = newest == .min || slice - newest >= Int64(slices.count)
        if isFirst {
            for index in slices.indices { slices[index] = 0 }
            total = 0
        } else {
            for expired in (newest + 1)...slice {
                total -= slices[index(of: expired)]
                slices[index(of: expired)] = 0
            }
        }
        newest = slice
        end = SchedulerInstant(offset: .nanoseconds(width) * (slice + 1))
    }

    private func index(of slice: Int64) -> Int {
        Int(slice.modulo(Int64(slices.count)))
    }
}

extension Int64 {
    /// Returns the remainder that is never negative.
    func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

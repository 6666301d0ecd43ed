import PledgeFutures
import PledgeServices

/// A time or duration: 292 years at most.
typealias Nanoseconds = Int64

extension Nanoseconds {
    /// Divided, which keeps whole seconds exact; multiplying by 1e-9 wouldn't.
    var seconds: Double { Double(self) / 1e9 }

    /// Clamped to the range of the type.
    init(_ duration: Duration) {
        self = duration.nanoseconds
    }

    /// The sum, clamped to the latest time.
    func adding(_ other: Nanoseconds) -> Nanoseconds {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

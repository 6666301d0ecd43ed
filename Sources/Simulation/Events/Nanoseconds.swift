/// A time of a simulation, or a duration, in nanoseconds: 292 years at most.
typealias Nanoseconds = Int64

extension Nanoseconds {
    /// The same in seconds: a whole number of seconds stays one, as it would not by a product with 1e-9.
    var seconds: Double { Double(self) / 1e9 }

    /// A duration in nanoseconds, cut to what fits.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLonger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = isTooLong || isLonger ? (seconds < 0 ? .min : .max) : sum
    }

    /// A sum that stays at the latest time.
    func adding(_ other: Nanoseconds) -> Nanoseconds {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}

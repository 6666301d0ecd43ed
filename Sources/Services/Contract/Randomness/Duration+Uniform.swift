extension Duration {
    /// The whole nanoseconds of a duration; the nearest that fits, some 292 years at most.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflowOfSum ? (seconds < 0 ? .min : .max) : sum
    }

    /// A duration from zero to a bound, both included, to the nanosecond, chosen by 64 random bits.
    ///
    /// It is the upper half of bits × (bound + 1), so each draw takes one number. (Lemire 2019, "Fast
    /// random integer generation in an interval", without the rejection: the bias is below 2⁻²⁹ for
    /// bounds up to 30 seconds.)
    package static func uniform(upTo bound: Duration, bits: UInt64) -> Duration {
        let count = UInt64(max(0, bound.nanoseconds)) + 1
        return .nanoseconds(Int64(bits.multipliedFullWidth(by: count).high))
    }
}

extension Duration {
    /// A duration from zero up to a bound, chosen evenly by random bits.
    static func uniform(upTo bound: Duration, bits: UInt64) -> Duration {
        let count = UInt64(max(0, bound.nanoseconds)) + 1
        return .nanoseconds(Int64(bits.multipliedFullWidth(by: count).high))
    }

    /// The whole nanoseconds.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

import PledgeFutures

extension Duration {
    /// The duration, not less than zero, to three significant digits, such as "1.64 seconds".
    package var inWords: String {
        let count = UInt64(max(0, nanoseconds))
        var step: UInt64 = 1
        while (count + step / 2) / step >= 1_000 { step *= 10 }
        return "\(Duration.nanoseconds(Int64(clamping: (count + step / 2) / step * step)))"
    }
}

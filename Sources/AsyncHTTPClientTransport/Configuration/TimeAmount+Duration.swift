#if AsyncHTTPClient
import NIOCore

extension TimeAmount {
    /// Makes a time from a duration; limited to 64 bits of nanoseconds.
    init(saturating duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else {
            self = .nanoseconds(seconds > 0 ? .max / 2 : 0)
            return
        }
        self = .nanoseconds(max(0, min(whole, .max / 2) + attoseconds / 1_000_000_000))
    }
}
#endif

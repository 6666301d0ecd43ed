public import PledgeHTTPMessages
import PledgeServices

extension HTTPClient {
    /// The rules for tracing calls across processes; see the middleware `tracePropagation` and `newTrace`.
    ///
    /// ```swift
    /// client.tracing = .init(to: .origins(of: server))
    /// ```
    public struct Tracing: Sendable {
        /// The origins that get the headers `traceparent` and `tracestate`.
        package var origins: HTTPOrigins

        /// Starts a trace for each call that isn't part of one.
        package var beginsTraces: Bool

        /// The share of the client's own traces that is sampled; 0…1.
        ///
        /// A value out of range is a programming error and traps when the client is used.
        package var samplingShare: Double

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - origins: The origins that get the headers `traceparent` and `tracestate`.
        ///   - beginsTraces: Starts a trace for each call that isn't part of one.
        ///   - samplingShare: The share of the client's own traces that is sampled; 0…1.
        public init(
            to origins: HTTPOrigins = .all, beginningTraces beginsTraces: Bool = true,
            samplingShare: Double = 1
        ) {
            self.origins = origins
            self.beginsTraces = beginsTraces
            self.samplingShare = samplingShare
        }
    }
}

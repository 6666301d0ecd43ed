public import PledgeHTTPNetworking
import PledgeServices

extension HTTPClient {
    /// How calls are traced across processes; see the middleware `tracePropagation` and `newTrace`.
    ///
    /// ```swift
    /// client.tracing = .init(to: .origins(of: server))
    /// ```
    public struct Tracing {
        /// The origins that `traceparent` and `tracestate` are sent to.
        public var origins: HTTPOrigins

        /// Whether a call that belongs to no trace begins one.
        public var beginsTraces: Bool

        /// The share of its traces that is sampled: 0…1.
        ///
        /// Another one is a programming error and traps when the client is used.
        public var samplingShare: Double

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - origins: The origins that `traceparent` and `tracestate` are sent to.
        ///   - beginsTraces: Whether a call that belongs to no trace begins one.
        ///   - samplingShare: The share of its traces that is sampled.
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

extension HTTPClient.Tracing: Sendable {}

extension HTTPClient {
    /// When a second request is sent beside a slow one; see the middleware `hedge`.
    public struct Hedge {
        /// How long the last request is under way before the next; nil for the latency that is seldom exceeded.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var delay: Duration?

        /// How many requests there may be for one, the first included.
        ///
        /// Less than one is a programming error and traps when the client is used.
        public var attempts: Int

        /// How many requests more a server may get, as a share: 0…1.
        ///
        /// Another one is a programming error and traps when the client is used.
        public var maxExtraLoad: Double

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - delay: How long the last request is under way before the next; nil for the latency that is seldom
        ///     exceeded.
        ///   - attempts: How many requests there may be for one, the first included.
        ///   - maxExtraLoad: How many requests more a server may get, as a share: 0…1.
        public init(after delay: Duration? = nil, attempts: Int = 2, maxExtraLoad: Double = 0.01) {
            self.delay = delay
            self.attempts = attempts
            self.maxExtraLoad = maxExtraLoad
        }
    }
}

extension HTTPClient.Hedge: Hashable, Sendable {}

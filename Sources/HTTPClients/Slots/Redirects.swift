extension HTTPClient {
    /// How redirects are followed; see the middleware `redirect`.
    public struct Redirects {
        /// How many are followed.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var limit: Int

        /// More headers that are taken out where a redirect leads to another origin.
        public var stripped: [String]

        /// Whether https may lead to http.
        public var allowsDowngrade: Bool

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - limit: How many redirects are followed.
        ///   - stripped: More headers that are taken out where a redirect leads to another origin.
        ///   - allowsDowngrade: Whether https may lead to http.
        public init(
            limit: Int = 20, stripping stripped: [String] = [], allowsDowngrade: Bool = false
        ) {
            self.limit = limit
            self.stripped = stripped
            self.allowsDowngrade = allowsDowngrade
        }
    }
}

extension HTTPClient.Redirects: Hashable, Sendable {}

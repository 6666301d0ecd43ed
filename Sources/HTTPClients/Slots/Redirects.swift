extension HTTPClient {
    /// How redirects are followed; see the middleware `redirect`.
    public struct Redirects {
        /// How many redirects are followed.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var limit: Int

        /// Harmless headers that are also removed if a redirect leads to another origin.
        public var stripped: [String]

        /// The caller's headers that are kept for another origin; the others are removed, except harmless
        /// ones.
        public var kept: [String]

        /// Whether https may lead to http.
        public var allowsDowngrade: Bool

        /// Whether a redirect from elsewhere to a private, loopback or link-local address is not followed.
        ///
        /// The addresses that names have are checked by the transport over libcurl alone.
        public var refusesPrivateAddresses: Bool

        /// Whether a redirect to another origin is followed if it sends the body there.
        ///
        /// A body with credentials never leaves its origin.
        public var sendsBodiesAcrossOrigins: Bool

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - limit: How many redirects are followed.
        ///   - stripped: Harmless headers that are also removed if a redirect leads to another origin.
        ///   - kept: The caller's headers that are kept for another origin.
        ///   - allowsDowngrade: Whether https may lead to http.
        ///   - refusesPrivateAddresses: Whether a redirect from elsewhere to a private, loopback or link-local
        ///     address is not followed.
        ///   - sendsBodiesAcrossOrigins: Whether a redirect to another origin is followed if it sends the body
        ///     there.
        public init(
            limit: Int = 20, stripping stripped: [String] = [], keeping kept: [String] = [],
            allowsDowngrade: Bool = false, refusesPrivateAddresses: Bool = false,
            sendsBodiesAcrossOrigins: Bool = true
        ) {
            self.limit = limit
            self.stripped = stripped
            self.kept = kept
            self.allowsDowngrade = allowsDowngrade
            self.refusesPrivateAddresses = refusesPrivateAddresses
            self.sendsBodiesAcrossOrigins = sendsBodiesAcrossOrigins
        }
    }
}

extension HTTPClient.Redirects: Hashable, Sendable {}

extension HTTPClient {
    /// The rules for following redirects; see the middleware `redirect`.
    public struct Redirects: Hashable, Sendable {
        /// The maximum number of redirects to follow.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var limit: Int

        /// Harmless headers to remove anyway when a redirect leads to another origin.
        public var stripped: [String]

        /// The caller's headers to keep when a redirect leads to another origin.
        ///
        /// All other headers are removed, except harmless ones.
        public var kept: [String]

        /// Allows redirects from https to http.
        public var allowsDowngrade: Bool

        /// Refuses redirects from a public host to a private, loopback or link-local address.
        ///
        /// Only the libcurl transport also checks the addresses that host names resolve to.
        public var refusesPrivateAddresses: Bool

        /// Allows redirects to send the body to another origin.
        ///
        /// A body with credentials never leaves its origin.
        public var sendsBodiesAcrossOrigins: Bool

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - limit: The maximum number of redirects to follow.
        ///   - stripped: Harmless headers to remove anyway when a redirect leads to another origin.
        ///   - kept: The caller's headers to keep when a redirect leads to another origin.
        ///   - allowsDowngrade: Allows redirects from https to http.
        ///   - refusesPrivateAddresses: Refuses redirects from a public host to a private, loopback or link-local
        ///     address.
        ///   - sendsBodiesAcrossOrigins: Allows redirects to send the body to another origin.
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

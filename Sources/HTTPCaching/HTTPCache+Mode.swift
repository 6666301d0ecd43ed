extension HTTPCache {
    /// Whom a cache serves (RFC 9111, section 1.1).
    public enum Mode: String, CaseIterable {
        /// One user: an app's own cache.
        ///
        /// Users of the same process are kept apart nevertheless; see `Middleware.cache(sharing:)`.
        case `private`
        /// Several users: that of a server which calls others for them.
        ///
        /// No private response is stored, and s-maxage and proxy-revalidate apply.
        case shared
    }
}

extension HTTPCache.Mode: Sendable {}

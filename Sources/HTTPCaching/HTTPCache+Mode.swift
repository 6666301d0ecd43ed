extension HTTPCache {
    /// The kind of a cache: private or shared (RFC 9111, section 1.1).
    public enum Mode: String, CaseIterable {
        /// A cache for one user: an app's own cache.
        ///
        /// It separates the users of a process nevertheless; see `Middleware.cache(sharing:)`.
        case `private`
        /// A cache for several users: that of a server which calls others for them.
        ///
        /// No private response is stored, and s-maxage and proxy-revalidate apply.
        case shared
    }
}

extension HTTPCache.Mode: Sendable {}

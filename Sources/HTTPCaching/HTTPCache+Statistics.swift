extension HTTPCache {
    /// The counters of a cache.
    public struct Statistics {
        /// Requests answered with a stored response, without waiting for the origin; stale ones included.
        public internal(set) var hits = 0
        /// The requests among them that were answered with a stale response.
        public internal(set) var staleHits = 0
        /// Requests for which the origin confirmed the stored response.
        public internal(set) var confirmations = 0
        /// Requests that the origin answered.
        public internal(set) var misses = 0
        /// Requests answered with a stale response because the origin failed.
        public internal(set) var rescues = 0
    }
}

extension HTTPCache.Statistics: Hashable {}

extension HTTPCache.Statistics: Sendable {}

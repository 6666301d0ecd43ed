extension HTTPCache {
    /// How often a cache did what.
    public struct Statistics {
        /// Requests answered from what was stored, without waiting for the origin; stale ones included.
        public internal(set) var hits = 0
        /// The requests among them that were answered with a stale response.
        public internal(set) var staleHits = 0
        /// Requests for which the origin confirmed what was stored.
        public internal(set) var confirmations = 0
        /// Requests that the origin answered.
        public internal(set) var misses = 0
        /// Requests answered with something stale since the origin failed.
        public internal(set) var rescues = 0
    }
}

extension HTTPCache.Statistics: Hashable {}

extension HTTPCache.Statistics: Sendable {}

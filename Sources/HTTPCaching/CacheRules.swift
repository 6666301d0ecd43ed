/// The rules of a cache, by RFC 9111 and RFC 5861: decisions without state, clock, or lock.
struct CacheRules: Sendable {
    /// The kind of the cache.
    let mode: HTTPCache.Mode

    /// The share of the time since the last change for which a response without explicit freshness is fresh,
    /// and its maximum in seconds (RFC 9111, section 4.2.2).
    var heuristicFraction = 0.1
    var heuristicLimit: Int64 = 86_400

    /// Whether Set-Cookie of stored responses is returned.
    var replaysCookies = false

    /// The names, in lower case, of the headers that the app says separate no users, besides those that are known.
    var harmlessHeaders: Set<String> = []

    /// How many variants of one URL are kept.
    var variantLimit = 16
}

/// What a cache may do, by RFC 9111 and RFC 5861: judgement without state, clock, or lock.
struct CacheRules: Sendable {
    /// Whom the cache serves.
    let mode: HTTPCache.Mode

    /// Which part of the time since its last change a response without explicit freshness is fresh,
    /// and for how many seconds at most (RFC 9111, section 4.2.2).
    var heuristicFraction = 0.1
    var heuristicLimit = 86_400

    /// Whether Set-Cookie of stored responses is given again.
    var replaysCookies = false

    /// How many variants of one URL are kept.
    var variantLimit = 16
}

/// One exchange with the origin: what was asked, what was answered, and when.
struct CacheExchange: Sendable {
    let query: CacheQuery
    let response: HTTPResponse
    let sent: CacheMoment
    let received: CacheMoment
    /// Which call of its cache it is.
    let number: UInt64
    /// The stored response that the request asked about, where it did so for the cache.
    var validated: CachedResponse?
}

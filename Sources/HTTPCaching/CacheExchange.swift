import HTTPNetworking
import Services

/// One exchange with the origin: what was asked, what was answered, and when.
struct CacheExchange: Sendable {
    let query: CacheQuery
    let response: HTTPResponse
    /// The error that a layer beneath has made of the response, if it has.
    var refusal: HTTPError?
    let sent: CacheMoment
    let received: CacheMoment
    /// Which call of its cache it is.
    let number: UInt64
    /// The stored response that the request asked about, where it did so for the cache.
    var validated: CachedResponse?
}

extension CacheExchange {
    /// Whether the answer is to credentials that were put in beneath the cache.
    ///
    /// The cache cannot know in whose name it would give such an answer to others.
    var isForeign: Bool {
        response.request.map { !CachePartition(of: $0).isPart(of: query.partition) } ?? false
    }

    /// Says so, once a call: a 304 that is of no use is followed by another exchange.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil || response.status != 304 else { return }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

import HTTPNetworking
import Services

/// A response that the origin gave to a forwarded request, and when.
struct OriginReply: Sendable {
    let presented: PresentedRequest
    let response: HTTPResponse
    /// The error that a layer beneath has made of the response, if it has.
    var refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// Which call of its cache it is.
    let number: Int
    /// The stored response that the request asked about, where it did so for the cache.
    var validated: CachedResponse?
}

extension OriginReply {
    /// Whether the answer is to credentials that were put in beneath the cache.
    ///
    /// The cache cannot know in whose name it would give such an answer to others.
    var isForeign: Bool {
        response.request.map { !CachePartition(of: $0).isPart(of: presented.partition) } ?? false
    }

    /// Says so, once a call: a 304 that is of no use is followed by another request.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil || response.status != 304 else { return }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

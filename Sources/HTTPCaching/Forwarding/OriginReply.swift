import HTTPNetworking
import Services

/// A response that the origin gave to a forwarded request, and when.
struct OriginReply: Sendable {
    let presented: PresentedRequest
    let response: HTTPResponse
    /// The error into which a layer beneath has turned the response, if it has.
    var refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// Which call of its cache it is.
    let number: Int
    /// The stored response that the request validated, if the cache asked for it.
    var validated: CachedResponse?
}

extension OriginReply {
    /// Whether the answer is to credentials that were added beneath the cache.
    ///
    /// The cache does not know the user of such an answer.
    var isForeign: Bool {
        response.request.map { !CachePartition(of: $0).isPart(of: presented.partition) } ?? false
    }

    /// Reports it, once a call: an unusable 304 is followed by another request.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil || response.status != 304 else { return }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

import PledgeHTTPNetworking
import PledgeServices

/// A response that the origin gave to a forwarded request, and when.
struct OriginReply: Sendable {
    let presented: PresentedRequest
    var response: HTTPResponse
    /// The error into which a layer beneath has turned the response, if it has.
    var refusal: HTTPError?
    let requestTime: ClockReading
    let responseTime: ClockReading
    /// Whether the answer is to credentials that were added beneath the cache.
    ///
    /// The cache does not know the user of such an answer.
    let isForeign: Bool
    /// Which call of its cache it is.
    let number: Int
    /// The stored response that the request validated, if the cache asked for it.
    var validated: CachedResponse?
}

extension OriginReply {
    /// The reply without the cookies that it sets.
    var shared: OriginReply {
        var reply = self
        reply.response = response.shared
        reply.refusal = refusal?.shared
        return reply
    }

    /// Reports it, once a call: an unusable 304 is followed by another request.
    func reportIfForeign(in context: CallContext, named name: String?) {
        guard isForeign, validated == nil || response.status != 304 else { return }
        context.report(
            .note("not stored: credentials were added beneath the cache"), by: CacheLayer.policy,
            named: name)
    }
}

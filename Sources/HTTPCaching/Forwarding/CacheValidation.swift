import HTTPNetworking
import Services

/// The question to the origin whether a stored response is still right.
struct CacheValidation: Sendable {
    /// What makes two questions the same: the same stored response, confirmed equally often.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: Int
        /// The caller, if it wants an answer of its own.
        let asker: Int?
    }

    /// The request as it was asked, without conditions.
    let request: HTTPRequest
    let presented: PresentedRequest
    let entry: CachedResponse
    /// Who asks.
    let asker: Int

    /// Who asks with no-cache shares no question that was sent before.
    var key: Key {
        Key(
            key: presented.key, variant: entry.variant, number: entry.number,
            asker: presented.mustValidate ? asker : nil)
    }
}

extension CacheValidation: Replayable {
    /// GET without a body.
    var isReplayable: Bool { true }
}

/// What the origin said to that, or to a ``ForwardedMiss``.
enum ForwardedAnswer: Sendable {
    /// It is still right; with what the 304 said that it is now, and the cookies that it set.
    case confirmed(CachedResponse, HTTPResponse)
    /// Here is another; with what is stored of it, and whose request it answers.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

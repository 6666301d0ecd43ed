import HTTPNetworking
import Services

/// The question to the origin whether a stored response is still right.
struct CacheValidation: Sendable {
    /// What makes two questions the same: the same stored response, confirmed equally often.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: UInt64
        /// Who asks, where that one wants an answer of its own.
        let asker: UInt64?
    }

    /// The request as it was asked, without conditions.
    let request: HTTPRequest
    let query: CacheQuery
    let entry: CachedResponse
    /// Who asks.
    let asker: UInt64

    /// Who asks with no-cache shares no question that was sent before.
    var key: Key {
        Key(
            key: query.key, variant: entry.variant, number: entry.number,
            asker: query.mustValidate ? asker : nil)
    }
}

extension CacheValidation: Replayable {
    /// GET without a body.
    var isReplayable: Bool { true }
}

/// What the origin said to that, or to a ``CacheMiss``.
enum CacheValidated: Sendable {
    /// It is still right; with what the 304 said that it is now, and the cookies that it set.
    case confirmed(CachedResponse, HTTPResponse)
    /// Here is another; with what is stored of it, and whose request it answers.
    case answered(CacheExchange, stored: CachedResponse?, to: UInt64)
}

import HTTPNetworking
import Services

/// A validation: the request to the origin whether a stored response is still valid.
struct CacheValidation: Sendable {
    /// The identity of a validation: the stored response, and how often it was confirmed.
    struct Key: Hashable, Sendable {
        let key: CacheKey
        let variant: CacheVariant
        let number: Int
        /// The caller, if it wants an answer of its own.
        let asker: Int?
    }

    /// The original request, without conditions.
    let request: HTTPRequest
    let presented: PresentedRequest
    let entry: CachedResponse
    /// Who asks.
    let asker: Int

    /// A request with no-cache does not share a validation that was sent before.
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

/// The origin's answer to it, or to a ``ForwardedMiss``.
enum ForwardedAnswer: Sendable {
    /// The stored response is still valid; with its updated form, and the cookies of the 304.
    case confirmed(CachedResponse, HTTPResponse)
    /// A new response; with its stored form, and the caller whose request it answers.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

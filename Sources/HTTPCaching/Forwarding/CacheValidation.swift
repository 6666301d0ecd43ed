import PledgeHTTPNetworking
import PledgeServices

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

extension CacheValidation: AnswerKeeping {
    /// Keeps the cookies of the origin's answer, in the jar of the request.
    func keep<Output: Sendable>(_ result: Result<Output, any Error>) {
        request.keep(forwarded: result)
    }
}

/// The origin's answer to it, or to a ``ForwardedMiss``.
enum ForwardedAnswer: Sendable {
    /// The stored response is still valid; with its updated form, and the cookies of the 304.
    case confirmed(CachedResponse, HTTPResponse)
    /// A new response; with its stored form, and the caller whose request it answers.
    case answered(OriginReply, stored: CachedResponse?, to: Int)
}

extension ForwardedAnswer: Shareable {
    /// The answer without the cookies that it sets: they are for the caller whose request was sent.
    ///
    /// What is stored keeps them, for a cache that replays cookies.
    var shared: ForwardedAnswer {
        switch self {
        case .confirmed(let entry, let fresh): .confirmed(entry, fresh.shared)
        case .answered(let reply, let stored, let asker):
            .answered(reply.shared, stored: stored, to: asker)
        }
    }

    /// False: all who share it are of one partition.
    var isOver: Bool { false }

    /// The response of the origin.
    fileprivate var response: HTTPResponse {
        switch self {
        case .confirmed(_, let fresh): fresh
        case .answered(let reply, _, _): reply.response
        }
    }
}

extension HTTPRequest {
    /// Keeps the cookies of the origin's answer to a request of the cache.
    func keep<Output: Sendable>(forwarded result: Result<Output, any Swift.Error>) {
        guard case .success(let output) = result, let answer = output as? ForwardedAnswer else {
            return keep(result)
        }
        keepCookies(of: answer.response)
    }
}

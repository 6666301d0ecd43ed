import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Sends an unsafe request, and removes the responses that it may have changed.
    ///
    /// They are removed even if no answer arrives: the origin may have processed the request.
    func writeThrough(_ request: HTTPRequest, _ key: CacheKey) -> Future<HTTPResponse> {
        let cache = cache
        return next(request)
            .onEnd { result in
                for key in CacheRules.outdated(by: result.answer, to: request, key) {
                    // Nobody waits for the removal, because the store applies changes in order: later requests don't
                    // find these responses.
                    _ = cache.invalidate(key)
                }
            }
            .marked(by: cache, .forwarded(.method))
    }
}

extension CacheRules {
    /// The keys that the answer to an unsafe method invalidates (RFC 9111, section 4.4).
    ///
    /// An error invalidates nothing. Other answers invalidate the URL, and those in Location and Content-Location if
    /// they have the same origin.
    static func outdated(
        by answer: (any HTTPResponseHead)?, to request: HTTPRequest, _ key: CacheKey
    ) -> [CacheKey] {
        guard let answer else { return [key] }
        guard (200..<400).contains(answer.status) else { return [] }
        let others = ["Location", "Content-Location"].compactMap { name -> CacheKey? in
            guard let text = answer.headers[name],
                let url = URL(string: text, relativeTo: request.url)?.absoluteURL,
                let origin = HTTPOrigin(url), origin == HTTPOrigin(request.url)
            else { return nil }
            return CacheKey(url, host: request.headers["Host"])
        }
        return [key] + others
    }
}

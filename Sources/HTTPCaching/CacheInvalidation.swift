import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Sends an unsafe request, and removes the responses that it may have changed.
    ///
    /// The responses are removed even if no answer arrives, because the origin may still have processed the request.
    func writeThrough(_ request: HTTPRequest, _ key: CacheKey) -> Future<HTTPResponse> {
        let cache = cache
        return next(request)
            .onEnd { result in
                for key in CacheRules.outdated(by: result.answer, to: request, key) {
                    // There is no need to wait for the removal. The store applies changes in order, so later requests
                    // don't get the removed responses.
                    _ = cache.invalidate(key)
                }
            }
            .marked(by: cache, .forwarded(.method))
    }
}

extension CacheRules {
    /// Returns the keys that an answer to an unsafe method invalidates (RFC 9111, section 4.4).
    ///
    /// An error status doesn't invalidate any key. Any other answer invalidates the URL itself, and the URLs in
    /// Location and Content-Location that have the same origin.
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

import PledgeFutures
import PledgeHTTPNetworking

extension CacheLayer {
    /// Sends an unsafe request, and removes the responses that it may have changed.
    ///
    /// Without an answer it is not known whether it changed them, so they are removed as well.
    func writeThrough(_ request: HTTPRequest, _ key: CacheKey) -> Future<HTTPResponse> {
        let cache = cache
        return next(request)
            .onEnd { result in
                for key in CacheRules.outdated(by: result.answer, to: request, key) {
                    // By the store's order, later requests do not get the removed responses.
                    _ = cache.invalidate(key)
                }
            }
            .marked(by: cache) { _ in .forwarded(.method) }
    }
}

extension CacheRules {
    /// The keys that an answer to an unsafe method invalidates (RFC 9111, section 4.4).
    ///
    /// Unless it is an error: the URL itself, and what Location and Content-Location name, if they are
    /// of the same origin.
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

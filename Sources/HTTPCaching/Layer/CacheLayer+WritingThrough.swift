import Futures
import HTTPNetworking

extension CacheLayer {
    /// Sends a request that may change something, and forgets what it may have changed.
    ///
    /// Where there was no answer it is not known whether it did, so that what was stored goes as well.
    func writeThrough(_ request: HTTPRequest, _ key: CacheKey) -> Future<HTTPResponse> {
        let cache = cache
        return next(request)
            .onEnd { result in
                for key in CacheRules.outdated(by: result.answer, to: request, key) {
                    // The store's own order keeps later requests from what is forgotten here.
                    _ = cache.invalidate(key)
                }
            }
            .marked(by: cache) { _ in .forwarded(.method) }
    }
}

extension CacheRules {
    /// What an answer to a method that is not safe makes out of date (RFC 9111, section 4.4).
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
            return CacheKey(url)
        }
        return [key] + others
    }
}

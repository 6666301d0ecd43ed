import Futures
import Services

/// A cache around one service.
struct CacheLayer: Sendable {
    static let policy = "cache"

    let cache: HTTPCache
    let next: HTTPService
    /// Asks the origin about a stored response; those who ask the same meanwhile share the question.
    let validate: Service<CacheValidation, CacheValidated>

    init(_ cache: HTTPCache, over next: @escaping HTTPService) {
        self.cache = cache
        self.next = next
        let asking = CacheAsking(cache: cache, next: next)
        validate = stack(.coalesce(by: \.key, in: cache.group), over: asking.ask)
    }

    func call(_ request: HTTPRequest) -> Future<HTTPResponse> {
        guard let query = CacheQuery(request) else { return next(request) }
        guard [.get, .head].contains(query.method), request.body.isEmpty else {
            if query.onlyIfCached { return unavailable(query) }
            return request.method.isSafe
                ? next(request).marked(by: cache) { _ in .forwarded(.method) }
                : writeThrough(request, query)
        }
        let found = cache.store.responses(for: query.key)
        if let result = found.result { return go(request, query, (try? result.get()) ?? []) }
        let context = CallContext.current
        return found.recover { _ in [] }.flatMap { entries in
            context.run { go(request, query, entries) }
        }
    }

    private func go(
        _ request: HTTPRequest, _ query: CacheQuery, _ entries: [CachedResponse]
    ) -> Future<HTTPResponse> {
        switch cache.rules.decide(query, entries, at: cache.moment()) {
        case .serve(let response, let entry, let reuse):
            return Future(value: serve(response, entry, reuse, request, query))
        case .validate(let entry): return validated(entry, request, query)
        case .forward(let reason): return forward(request, query, reason)
        case .unavailable: return unavailable(query)
        }
    }

    private func serve(
        _ response: HTTPResponse, _ entry: CachedResponse, _ reuse: CacheRules.Reuse,
        _ request: HTTPRequest, _ query: CacheQuery
    ) -> HTTPResponse {
        let context = CallContext.current
        cache.count(\.hits)
        context.report(.hit, by: Self.policy)
        if reuse != .fresh {
            cache.count(\.staleHits)
            context.report(.note("stale"), by: Self.policy)
        }
        if reuse == .staleWhileRevalidating { revalidate(entry, request, query) }
        return response.marked(by: cache, .hit(entry))
    }

    private func unavailable(_ query: CacheQuery) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy)
        return Future(value: cache.rules.unavailable(query, at: cache.moment()))
    }

    /// Asks the origin as the caller asks.
    private func forward(
        _ request: HTTPRequest, _ query: CacheQuery, _ reason: CacheRules.Reason
    ) -> Future<HTTPResponse> {
        cache.count(\.misses)
        CallContext.current.report(.miss, by: Self.policy)
        return CacheAsking(cache: cache, next: next).exchange(request, query).mapWithoutOrigin {
            exchange in
            exchange.response.marked(by: cache, .answered(reason, exchange))
        }
    }
}

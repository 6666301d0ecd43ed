import Futures
import HTTPNetworking
import Services

/// A cache around one service.
struct CacheLayer: Sendable {
    static let policy = "cache"

    let cache: HTTPCache
    let next: HTTPService
    /// Asks the origin about a stored response; those who ask the same meanwhile share the question.
    let validate: Service<CacheValidation, CacheValidated>
    /// Asks the origin what nothing stored answers, likewise.
    let fetch: Service<CacheMiss, CacheValidated>

    init(_ cache: HTTPCache, over next: @escaping HTTPService) {
        self.cache = cache
        self.next = next
        let asking = CacheAsking(cache: cache, next: next)
        validate = stack(.coalesce(by: \.key, sharing: cache.group), over: asking.ask)
        fetch = stack(.coalesce(by: \.key, sharing: cache.misses), over: asking.ask)
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
        if let result = found.result { return go(query, (try? result.get()) ?? []) }
        let context = CallContext.current
        return found.recover { _ in [] }.flatMap { entries in
            context.run { go(query, entries) }
        }
    }

    private func go(_ query: CacheQuery, _ entries: [CachedResponse]) -> Future<HTTPResponse> {
        switch cache.rules.decide(query, entries, at: cache.moment()) {
        case .serve(let response, let entry, let reuse):
            return serve(response, entry, reuse, query, as: .hit(entry))
        case .validate(let entry): return validated(entry, query)
        case .forward(let reason):
            return cache.coalescesMisses && query.mayJoin
                ? join(query, reason) : forward(query, reason)
        case .unavailable: return unavailable(query)
        }
    }

    /// Gives a stored response.
    func serve(
        _ response: HTTPResponse, _ entry: CachedResponse, _ reuse: CacheRules.Reuse,
        _ query: CacheQuery, as status: CacheStatus
    ) -> Future<HTTPResponse> {
        let context = CallContext.current
        cache.count(\.hits)
        context.report(.hit, by: Self.policy, named: cache.name)
        if reuse != .fresh {
            cache.count(\.staleHits)
            context.report(.note("stale"), by: Self.policy, named: cache.name)
        }
        if reuse == .staleWhileRevalidating { revalidate(entry, query) }
        return give(response.marked(by: cache, status), of: entry)
    }

    /// What is stored, as an error where it was one when it came.
    func give(_ response: HTTPResponse, of entry: CachedResponse) -> Future<HTTPResponse> {
        guard entry.isRefused else { return Future(value: response) }
        return Future(
            error: HTTPError(
                code: .unacceptableStatus, request: response.request, response: response))
    }

    /// What has come, as an error where it is one.
    func give(_ exchange: CacheExchange, as status: CacheStatus) -> Future<HTTPResponse> {
        let response = exchange.response.marked(by: cache, status)
        guard var error = exchange.refusal else { return Future(value: response) }
        error.response = response
        return Future(error: error)
    }

    private func unavailable(_ query: CacheQuery) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        return Future(value: cache.rules.unavailable(query, at: cache.moment()))
    }

    /// Asks the origin as the caller asks.
    func forward(_ query: CacheQuery, _ reason: CacheRules.Reason) -> Future<HTTPResponse> {
        cache.count(\.misses)
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        return CacheAsking(cache: cache, next: next).exchange(query.request, query)
            .flatMap { exchange in give(exchange, as: .answered(reason, exchange)) }
    }
}

import Futures
import HTTPNetworking
import Services

extension CacheLayer {
    /// Asks the origin, or waits for the answer to another who asks the same.
    ///
    /// That answer is the caller's where it might have been stored before the caller asked. Otherwise the
    /// caller goes on by what is stored of it, and waits for nobody again.
    func join(_ query: CacheQuery, _ reason: CacheRules.Reason) -> Future<HTTPResponse> {
        let cache = cache
        let miss = cache.flights.withLock { CacheMiss(query, &$0) }
        let fetching = fetch(miss).onEnd { _ in cache.flights.withLock { $0.end(query.key) } }
        return fetching.flatMap { fetched in
            guard case .answered(let exchange, let stored, let asker) = fetched else {
                return forward(query, reason)
            }
            if asker == miss.asker {
                cache.count(\.misses)
                CallContext.current.report(.miss, by: Self.policy, named: cache.name)
                return give(exchange, as: .answered(reason, exchange))
            }
            let entries = stored.map { [$0] } ?? []
            switch cache.rules.decide(query, entries, at: cache.moment()) {
            case .serve(let response, let entry, let reuse):
                return serve(response, entry, reuse, query, as: .shared(reason))
            case .validate(let entry): return validated(entry, query)
            case .forward, .unavailable: return forward(query, reason)
            }
        }
    }
}

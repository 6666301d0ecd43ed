import Futures
import Services

/// Exchanges with the origin, what they bring stored before they are told.
struct CacheAsking: Sendable {
    let cache: HTTPCache
    let next: HTTPService

    /// Sends a request, and stores what may be stored of the answer.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - query: What was asked, without the conditions that the cache has added.
    ///   - entry: The stored response that the request asks about.
    func exchange(
        _ request: HTTPRequest, _ query: CacheQuery, about entry: CachedResponse? = nil
    ) -> Future<CacheExchange> {
        let number = cache.flights.withLock { $0.begin(query.key) }
        let sent = cache.moment()
        let cache = cache
        return next(request)
            .mapWithoutOrigin { response in
                CacheExchange(
                    query: query, response: response, sent: sent, received: cache.moment(),
                    number: number, validated: entry)
            }
            .onEnd { result in
                // Also where the caller has given up: then there is nothing to be stored.
                if case .success(let exchange) = result {
                    cache.receive(exchange)
                } else {
                    cache.flights.withLock { $0.end(query.key) }
                }
            }
    }

    /// Asks whether a stored response is still right.
    ///
    /// A 304 that speaks of another than the stored one is of no use to anybody: the request is sent
    /// once more, without conditions (RFC 9111, section 4.3.3).
    func ask(_ validation: CacheValidation) -> Future<CacheValidated> {
        let (query, entry) = (validation.query, validation.entry)
        let request = cache.rules.validation(of: entry, for: validation.request)
        let context = CallContext.current
        return exchange(request, query, about: entry).flatMap { exchange in
            guard exchange.response.status == 304, entry.hasValidator else {
                return Future(value: answered(exchange, validation))
            }
            let fresh = exchange.response
            if cache.rules.confirms(fresh.headers, entry, isOwn: true),
                let confirmed = cache.rules.confirmed(entry, by: exchange)
            {
                return Future(value: .confirmed(confirmed.entry, fresh))
            }
            return context.run { self.exchange(validation.request, query) }
                .mapWithoutOrigin { answered($0, validation) }
        }
    }

    private func answered(
        _ exchange: CacheExchange, _ validation: CacheValidation
    ) -> CacheValidated {
        .answered(
            exchange.response, stored: cache.rules.entry(from: exchange), to: validation.asker)
    }
}

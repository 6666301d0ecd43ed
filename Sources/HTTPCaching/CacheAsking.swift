import Futures
import HTTPNetworking
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
        let (cache, context) = (cache, CallContext.current)
        let made: @Sendable (HTTPResponse, HTTPError?) -> CacheExchange = { response, refusal in
            CacheExchange(
                query: query, response: response, refusal: refusal, sent: sent,
                received: cache.moment(), number: number, validated: entry)
        }
        return next(request)
            .mapWithoutOrigin { made($0, nil) }
            .continued { result in
                guard case .failure(let error as HTTPError) = result, let response = error.refused
                else { return nil }
                return Future(value: made(response, error))
            }
            .onEnd { result in
                // Also where the caller has given up: then there is nothing to be stored.
                if case .success(let exchange) = result {
                    cache.receive(exchange)
                    exchange.reportIfForeign(in: context, named: cache.name)
                } else {
                    cache.flights.withLock { $0.end(query.key) }
                }
            }
    }

    /// Asks what nothing stored answers.
    func ask(_ miss: CacheMiss) -> Future<CacheValidated> {
        exchange(miss.query.request, miss.query).mapWithoutOrigin { answered($0, miss.asker) }
    }

    /// Asks whether a stored response is still right.
    ///
    /// A 304 that speaks of another than the stored one, or to somebody whom the cache does not know, is of
    /// no use to anybody: the request is sent once more, without conditions (RFC 9111, section 4.3.3).
    func ask(_ validation: CacheValidation) -> Future<CacheValidated> {
        let (query, entry) = (validation.query, validation.entry)
        let request = cache.rules.validation(of: entry, for: validation.request)
        let context = CallContext.current
        return exchange(request, query, about: entry).flatMap { exchange in
            guard exchange.response.status == 304, entry.hasValidator else {
                return Future(value: answered(exchange, validation.asker))
            }
            let fresh = exchange.response
            if !exchange.isForeign, cache.rules.confirms(fresh.headers, entry, isOwn: true),
                let confirmed = cache.rules.confirmed(entry, by: exchange)
            {
                return Future(value: .confirmed(confirmed.entry, fresh))
            }
            return context.run { self.exchange(validation.request, query) }
                .mapWithoutOrigin { answered($0, validation.asker) }
        }
    }

    private func answered(_ exchange: CacheExchange, _ asker: UInt64) -> CacheValidated {
        .answered(exchange, stored: cache.rules.entry(from: exchange), to: asker)
    }
}

import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// Forwards requests to the origin, and stores the answers before it returns them.
struct CacheForwarding: Sendable {
    let cache: HTTPCache
    let next: HTTPService

    /// Sends a request, and stores the answer if it may be stored.
    ///
    /// - Parameters:
    ///   - request: The request that is sent.
    ///   - presented: The original request, without the conditions that the cache has added.
    ///   - entry: The stored response that the request asks about.
    func forward(
        _ request: HTTPRequest, _ presented: PresentedRequest, about entry: CachedResponse? = nil
    ) -> Future<OriginReply> {
        let number = cache.calls.withLock { $0.start(presented.key) }
        let sent = cache.moment()
        let (cache, context) = (cache, CallContext.current)
        let made: @Sendable (HTTPResponse, HTTPError?) -> OriginReply = { response, refusal in
            OriginReply(
                presented: presented, response: response, refusal: refusal, requestTime: sent,
                responseTime: cache.moment(),
                isForeign: presented.isForeign(response, by: cache.rules), number: number,
                validated: entry)
        }
        return next(request)
            .mapWithoutOrigin { made($0, nil) }
            .flatMapSomeResults { result in
                guard case .failure(let error as HTTPError) = result, let response = error.refused
                else { return nil }
                return Future(value: made(response, error))
            }
            .onEnd { result in
                // A caller that has given up gets no success, and nothing is stored.
                if case .success(let reply) = result {
                    cache.receive(reply)
                    reply.reportIfForeign(in: context, named: cache.name)
                } else {
                    cache.calls.withLock { _ = $0.end(presented.key) }
                }
            }
    }

    /// Asks the origin if no stored response answers.
    func ask(_ miss: ForwardedMiss) -> Future<ForwardedAnswer> {
        forward(miss.presented.request, miss.presented).mapWithoutOrigin {
            answered($0, miss.asker)
        }
    }

    /// Asks whether a stored response is still valid.
    ///
    /// A 304 for another response than the stored one, or for a user that the cache does not know, cannot be
    /// used: the request is sent once more, without conditions (RFC 9111, section 4.3.3).
    func ask(_ validation: CacheValidation) -> Future<ForwardedAnswer> {
        let (presented, entry) = (validation.presented, validation.entry)
        let request = cache.rules.validation(of: entry, for: validation.request)
        let context = CallContext.current
        return forward(request, presented, about: entry).flatMap { reply in
            guard reply.response.status == 304, entry.hasValidator else {
                return Future(value: answered(reply, validation.asker))
            }
            let fresh = reply.response
            if !reply.isForeign, cache.rules.confirms(fresh.headers, entry, isOwn: true),
                let confirmed = cache.rules.freshened(entry, by: reply)
            {
                return Future(value: .confirmed(confirmed.entry, fresh))
            }
            validation.request.keepCookies(of: fresh)
            return context.run { self.forward(validation.request, presented) }
                .mapWithoutOrigin { answered($0, validation.asker) }
        }
    }

    private func answered(_ reply: OriginReply, _ asker: Int) -> ForwardedAnswer {
        .answered(reply, stored: cache.rules.entry(from: reply), to: asker)
    }
}

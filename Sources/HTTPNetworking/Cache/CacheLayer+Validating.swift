import Futures
import Services

extension CacheLayer {
    /// Answers a request with a stored response if the origin confirms it, and otherwise with what the
    /// origin says instead.
    func validated(
        _ entry: CachedResponse, _ request: HTTPRequest, _ query: CacheQuery
    ) -> Future<HTTPResponse> {
        let context = CallContext.current
        context.report(.note("revalidating"), by: Self.policy)
        let validation = validation(entry, request, query)
        return validate(validation)
            .flatMap { validated in context.run { settle(validated, validation) } }
            .continued { result in
                guard case .failure(let error) = result else { return nil }
                return context.run { rescue(validation, after: error) }.map { Future(value: $0) }
            }
    }

    func validation(
        _ entry: CachedResponse, _ request: HTTPRequest, _ query: CacheQuery
    ) -> CacheValidation {
        CacheValidation(
            request: request, query: query, entry: entry,
            asker: cache.flights.withLock { $0.number() })
    }

    private func settle(
        _ validated: CacheValidated, _ validation: CacheValidation
    ) -> Future<HTTPResponse> {
        let query = validation.query
        switch validated {
        case .confirmed(let entry, let fresh):
            guard let response = confirmed(entry, fresh, query) else {
                return askAlone(validation)
            }
            return Future(value: response)
        case .answered(let response, let stored, let asker):
            if let rescued = rescue(validation, from: response) { return Future(value: rescued) }
            if asker == validation.asker {
                CallContext.current.report(.miss, by: Self.policy)
                cache.count(\.misses)
                return Future(value: response.marked(by: cache, .replaced(response.status)))
            }
            // Another's answer is this one's where it could have been stored before this was asked.
            if let stored, stored.variant.matches(query.headers),
                let shared = cache.rules.answer(query, with: stored, at: cache.moment())
            {
                CallContext.current.report(.hit, by: Self.policy)
                cache.count(\.hits)
                return Future(value: shared.marked(by: cache, .shared))
            }
            return askAlone(validation)
        }
    }

    private func confirmed(
        _ entry: CachedResponse, _ fresh: HTTPResponse, _ query: CacheQuery
    ) -> HTTPResponse? {
        guard var response = cache.rules.answer(query, with: entry, at: cache.moment()) else {
            return nil
        }
        CallContext.current.report(.note("confirmed"), by: Self.policy)
        cache.count(\.confirmations)
        response.timing = fresh.timing
        if !cache.rules.replaysCookies {
            for cookie in fresh.headers.values(for: "Set-Cookie") {
                response.headers.add(cookie, for: "Set-Cookie")
            }
        }
        return response.marked(by: cache, .confirmed(entry))
    }

    /// Asks the origin for one who has waited for another's answer in vain, and waits no second time.
    private func askAlone(_ validation: CacheValidation) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy)
        cache.count(\.misses)
        return CacheAsking(cache: cache, next: next)
            .exchange(validation.request, validation.query)
            .mapWithoutOrigin { exchange in
                rescue(validation, from: exchange.response)
                    ?? exchange.response.marked(by: cache, .answered(.stale, exchange))
            }
    }
}

// MARK: - Stale answers

extension CacheLayer {
    /// Asks the origin about a stale response that was given already, once at a time.
    ///
    /// In the caller's context, but not within its deadline: nobody waits for it.
    func revalidate(_ entry: CachedResponse, _ request: HTTPRequest, _ query: CacheQuery) {
        let (cache, limit) = (cache, cache.backgroundLimit)
        let deadline = CallDeadline(after: limit, on: cache.scheduler)
        var request = request
        request.context.deadline = deadline
        let validation = validation(entry, request, query)
        let key = validation.key
        let isFirst = cache.background.withLock { $0.updateValue(nil, forKey: key) == nil }
        guard isFirst else { return }
        let context = CallContext.current
        context.report(.note("revalidating"), by: Self.policy)
        let call = context.with(deadline: deadline).run { validate(validation) }
            .timeout(limit, on: cache.scheduler)
        cache.background.withLock { $0[key] = .some(call) }
        call.observe { _ in
            cache.background.withLockThenRelease { $0.removeValue(forKey: key) }
        }
    }

    /// The stored response in the place of an error of the server's, where it may be used so.
    private func rescue(_ validation: CacheValidation, from response: HTTPResponse) -> HTTPResponse?
    {
        cache.rules.isError(status: response.status) ? rescue(validation) : nil
    }

    /// The stored response in the place of a failure, where it may be used so.
    ///
    /// A call that was given up, or that cannot be sent, has no answer.
    private func rescue(_ validation: CacheValidation, after error: any Error) -> HTTPResponse? {
        error is CancellationError || error is HTTPRequest.Error ? nil : rescue(validation)
    }

    private func rescue(_ validation: CacheValidation) -> HTTPResponse? {
        let now = cache.moment()
        guard cache.rules.mayUseOnError(validation.entry, for: validation.query, at: now),
            let response = cache.rules.answer(validation.query, with: validation.entry, at: now)
        else { return nil }
        cache.count(\.rescues)
        CallContext.current.report(.note("rescued"), by: Self.policy)
        return response.marked(by: cache, .hit(validation.entry))
    }
}

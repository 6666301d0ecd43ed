import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Answers a request with a stored response if the origin confirms it, and otherwise with the origin's
    /// new response.
    func validated(_ entry: CachedResponse, _ presented: PresentedRequest) -> Future<HTTPResponse> {
        let context = CallContext.current
        context.report(.note("revalidating"), by: Self.policy, named: cache.name)
        let validation = validation(entry, presented.request, presented)
        let future = validate(validation)
        let caller = KeptCaller(context, until: future)
        return
            future
            .flatMap { validated in caller.run { settle(validated, validation) } }
            .flatMapSomeResults { result in
                guard case .failure(let error) = result else { return nil }
                return context.run { rescue(validation, after: error) }
            }
    }

    private func validation(
        _ entry: CachedResponse, _ request: HTTPRequest, _ presented: PresentedRequest
    ) -> CacheValidation {
        CacheValidation(
            request: request, presented: presented, entry: entry,
            asker: cache.calls.withLock { $0.number() })
    }

    private func settle(
        _ validated: ForwardedAnswer, _ validation: CacheValidation
    ) -> Future<HTTPResponse> {
        let presented = validation.presented
        switch validated {
        case .confirmed(let entry, let fresh):
            if let response = confirmed(entry, fresh, presented) {
                return give(response, of: entry)
            }
            presented.request.keepCookies(of: fresh)
            return askAlone(validation)
        case .answered(let reply, let stored, let asker):
            if let rescued = rescue(validation, from: reply) { return rescued }
            if asker == validation.asker {
                CallContext.current.report(.miss, by: Self.policy, named: cache.name)
                cache.count(\.misses)
                return give(reply, as: .replaced(reply.response.status))
            }
            // Another caller's answer may be used if it could have been stored before this request.
            if let stored, stored.answers(presented),
                let shared = cache.rules.answer(presented, with: stored, at: cache.moment())
            {
                CallContext.current.report(.hit, by: Self.policy, named: cache.name)
                cache.count(\.hits)
                return give(shared.marked(by: cache, .shared(.stale)), of: stored)
            }
            return askAlone(validation)
        }
    }

    private func confirmed(
        _ entry: CachedResponse, _ fresh: HTTPResponse, _ presented: PresentedRequest
    ) -> HTTPResponse? {
        guard var response = cache.rules.answer(presented, with: entry, at: cache.moment()) else {
            return nil
        }
        CallContext.current.report(.note("confirmed"), by: Self.policy, named: cache.name)
        cache.count(\.confirmations)
        response.timing = fresh.timing
        if !cache.rules.replaysCookies {
            response.headers.add(fresh.headers) { $0.lowercased() == "set-cookie" }
        }
        return response.marked(by: cache, .confirmed(entry))
    }

    /// Asks the origin for a caller that cannot use another caller's answer, and does not wait for a second
    /// one.
    private func askAlone(_ validation: CacheValidation) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        cache.count(\.misses)
        return CacheForwarding(cache: cache, next: next)
            .forward(validation.request, validation.presented)
            .flatMap { reply in
                rescue(validation, from: reply)
                    ?? give(reply, as: .answered(.stale, reply))
            }
    }
}

// MARK: - Stale answers

extension CacheLayer {
    /// Validates a stale response that was returned already, once at a time.
    ///
    /// In the caller's context, but not within its deadline: no caller waits for it.
    func revalidate(_ entry: CachedResponse, _ presented: PresentedRequest) {
        let (cache, limit) = (cache, cache.backgroundLimit)
        let deadline = CallDeadline(after: limit, on: cache.scheduler)
        let validation = validation(entry, presented.request, presented)
        let key = validation.key
        let isFirst = cache.background.withLock { $0.updateValue(nil, forKey: key) == nil }
        guard isFirst else { return }
        let context = CallContext.current
        context.report(.note("revalidating"), by: Self.policy, named: cache.name)
        let call = context.with(deadline: deadline).with(record: nil).run { validate(validation) }
            .timeout(limit, on: cache.scheduler)
        cache.background.withLock { $0[key] = .some(call) }
        call.observe { result in
            // No caller gets the answer, and its jar does.
            validation.keep(result)
            cache.background.withLockThenRelease { $0.removeValue(forKey: key) }
        }
    }

    /// The stored response instead of a server's error, if it may be used for that.
    private func rescue(
        _ validation: CacheValidation, from reply: OriginReply
    ) -> Future<HTTPResponse>? {
        guard cache.rules.isError(status: reply.response.status) else { return nil }
        return rescue(validation).map { rescued in
            validation.request.keepCookies(of: reply.response)
            return rescued
        }
    }

    /// The stored response instead of a failure, if it may be used for that.
    ///
    /// A call that was given up, or that cannot be sent, has no answer; a refused status is one.
    private func rescue(
        _ validation: CacheValidation, after error: any Error
    ) -> Future<HTTPResponse>? {
        let isAnswer = (error as? HTTPError)?.refused != nil
        if isAnswer || error is CancellationError || error is HTTPRequest.Error { return nil }
        return rescue(validation).map { rescued in
            validation.keep(Result<HTTPResponse, any Error>.failure(error))
            return rescued
        }
    }

    private func rescue(_ validation: CacheValidation) -> Future<HTTPResponse>? {
        let now = cache.moment()
        guard cache.rules.mayUseOnError(validation.entry, for: validation.presented, at: now),
            let response = cache.rules.answer(validation.presented, with: validation.entry, at: now)
        else { return nil }
        cache.count(\.rescues)
        CallContext.current.report(.note("rescued"), by: Self.policy, named: cache.name)
        return give(response.marked(by: cache, .hit(validation.entry)), of: validation.entry)
    }
}

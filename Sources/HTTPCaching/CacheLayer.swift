import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices

/// A cache around one service.
///
/// `call` looks for a stored response, `CacheRules.decide` says what to do with it, and `answer(by:)` does so. Turns,
/// waits, invalidation and stale answers have files of their own.
struct CacheLayer: Sendable {
    static let policy = "cache"

    let cache: HTTPCache
    let next: HTTPService
    /// Asks whether a stored response is valid; equal questions share one request.
    let validate: Service<CacheValidation, ForwardedAnswer>
    /// Sends a request that no stored response answers; equal requests share one.
    let fetch: Service<ForwardedMiss, ForwardedAnswer>
    /// Waits for this process's turn to ask the origin; equal waits share one.
    let takeTurn: Service<String, CacheTurn?>

    init(_ cache: HTTPCache, over next: @escaping HTTPService) {
        self.cache = cache
        self.next = next
        let asking = CacheForwarding(cache: cache, next: next)
        validate = stack(
            .coalesce(by: \.key, sharing: cache.group), over: CacheLayer.asking(asking))
        fetch = stack(.coalesce(by: \.key, sharing: cache.misses), over: asking.ask)
        takeTurn = stack(.coalesce(sharing: cache.turnWaits), over: { cache.takeTurn($0) })
    }

    func call(_ request: HTTPRequest) -> Future<HTTPResponse> {
        guard let key = CacheKey(request.url, host: request.headers["Host"]) else {
            return next(request)
        }
        let mayBeStored = [.get, .head].contains(request.method) && request.body.isEmpty
        if !mayBeStored, !CacheControl(request.headers).contains("only-if-cached") {
            return request.method.isSafe
                ? next(request).marked(by: cache, .forwarded(.method))
                : writeThrough(request, key)
        }
        cache.expectEnd(ofUsersOf: request)
        let presented = PresentedRequest(request, key, by: cache.rules)
        if !mayBeStored { return unavailable(presented) }
        return find(presented) { go(presented, $0) }
    }

    func find(
        _ presented: PresentedRequest,
        _ body: @escaping @Sendable ([CachedResponse]) -> Future<HTTPResponse>
    ) -> Future<HTTPResponse> {
        whenSettled(cache.find(presented.key)) { body(stored($0)) }
    }

    /// Calls a function with a future's result: at once if it's there, and otherwise later, in the caller's context.
    func whenSettled<Value>(
        _ future: Future<Value>,
        _ body: @escaping @Sendable (Result<Value, any Error>) -> Future<HTTPResponse>
    ) -> Future<HTTPResponse> {
        if let result = future.result { return body(result) }
        let caller = CallerContext(keeping: .current)
        return future.flatMapResult { result in caller.run { body(result) } }
    }

    /// The responses that the store has found; none if it failed.
    private func stored(_ found: Result<[CachedResponse], any Error>) -> [CachedResponse] {
        do {
            let entries = try found.get()
            cache.noteAnswer()
            return entries
        } catch {
            cache.noteStore(error)
            return []
        }
    }

    private func go(_ presented: PresentedRequest, _ entries: [CachedResponse]) -> Future<
        HTTPResponse
    > {
        let decision = cache.rules.decide(presented, entries, at: cache.moment())
        if decision.asksOrigin, let name = cache.lockName(for: presented) {
            return answer(presented, by: decision, inTurn: name)
        }
        return answer(presented, by: decision)
    }

    func answer(
        _ presented: PresentedRequest, by decision: CacheRules.Decision
    ) -> Future<HTTPResponse> {
        switch decision {
        case .serve(let response, let entry, let reuse):
            return serve(response, entry, reuse, presented, as: .hit(entry))
        case .validate(let entry): return validated(entry, presented)
        case .choose(let variants): return collapse(presented, .varyMiss, among: variants)
        case .forward(let reason, let entry):
            return cache.coalescesMisses && presented.mayCollapse
                ? collapse(presented, reason) : forward(presented, reason, entry)
        case .unavailable: return unavailable(presented)
        }
    }

    /// Answers with a stored response; if `reuse` says so, also validates it in the background.
    func serve(
        _ response: HTTPResponse, _ entry: CachedResponse, _ reuse: CacheRules.Reuse,
        _ presented: PresentedRequest, as status: CacheStatus
    ) -> Future<HTTPResponse> {
        let context = CallContext.current
        cache.count(\.hits)
        context.report(.hit, by: Self.policy, named: cache.name)
        if reuse != .fresh {
            cache.count(\.staleHits)
            context.report(.note("stale"), by: Self.policy, named: cache.name)
        }
        if reuse == .staleWhileRevalidating { revalidate(entry, presented) }
        return give(response.marked(by: cache, status), of: entry)
    }

    /// Returns a stored response; one that arrived within an error is an error again.
    func give(_ response: HTTPResponse, of entry: CachedResponse) -> Future<HTTPResponse> {
        guard entry.isRefused else { return Future(value: response) }
        return Future(
            error: HTTPError(
                code: .unacceptableStatus, request: response.request, response: response))
    }

    /// Returns the reply, or the error into which a layer below the cache has turned it.
    func give(_ reply: OriginReply, as status: CacheStatus) -> Future<HTTPResponse> {
        let response = reply.response.marked(by: cache, status)
        guard var error = reply.refusal else { return Future(value: response) }
        error.response = response
        return Future(error: error)
    }

    private func unavailable(_ presented: PresentedRequest) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        return Future(value: cache.rules.unavailable(presented, at: cache.moment()))
    }

    /// Sends the caller's request unchanged.
    ///
    /// - Parameters:
    ///   - presented: The request.
    ///   - reason: Why the origin is asked.
    ///   - entry: The stored response that may answer if the call fails.
    func forward(
        _ presented: PresentedRequest, _ reason: CacheRules.Reason, _ entry: CachedResponse? = nil
    ) -> Future<HTTPResponse> {
        cache.count(\.misses)
        let context = CallContext.current
        context.report(.miss, by: Self.policy, named: cache.name)
        let wait = entry.flatMap { CacheWait(self, presented, $0) }
        let attempts = wait.map { _ in StandIns() } ?? context.standIns
        let answer = context.with(standIns: attempts).run {
            CacheForwarding(cache: cache, next: next)
                .forward(presented.request, presented, rescuedBy: entry)
        }
        .flatMap { reply in
            entry.flatMap { rescue(presented, $0, from: reply) }
                ?? give(reply, as: .answered(reason, reply))
        }
        guard let entry else { return answer }
        let limited = wait?.limit(answer, attempts: attempts) ?? answer
        return limited.flatMapSomeResults { result in
            guard case .failure(let error) = result else { return nil }
            return context.run { rescue(presented, entry, after: error) }
        }
    }
}

extension CacheLayer {
    /// Asks the origin, or waits for the answer to an equal request.
    ///
    /// The caller whose request was sent gets the answer itself. The others get what the cache would now answer. If a
    /// caller can't use that, it asks the origin alone, without waiting for another request.
    ///
    /// - Parameter variants: The stored responses to other requests, of which the origin may confirm one.
    func collapse(
        _ presented: PresentedRequest, _ reason: CacheRules.Reason,
        among variants: [CachedResponse] = []
    ) -> Future<HTTPResponse> {
        let cache = cache
        let miss = cache.calls.withLock { ForwardedMiss(presented, among: variants, &$0) }
        let asking = CacheForwarding(cache: cache, next: next)
        let fetching = (cache.coalescesMisses ? fetch(miss) : asking.ask(miss)).onEnd { _ in
            cache.calls.withLock { _ = $0.endCall(presented.key) }
        }
        let caller = CallerContext(keeping: .current, until: fetching)
        return fetching.flatMap { fetched in
            let (reply, stored, asker): (OriginReply, CachedResponse?, Int)
            switch fetched {
            case .confirmed(let entry, let fresh):
                if let response = confirmed(entry, fresh, presented, reason) {
                    return give(response, of: entry)
                }
                return caller.run { forward(presented, reason) }
            case .answered(let first, let second, let third):
                (reply, stored, asker) = (first, second, third)
            }
            if asker == miss.asker {
                cache.count(\.misses)
                CallContext.current.report(.miss, by: Self.policy, named: cache.name)
                return give(reply, as: .answered(reason, reply))
            }
            let entries = stored.map { [$0] } ?? []
            switch cache.rules.decide(presented, entries, at: cache.moment()) {
            case .serve(let response, let entry, let reuse):
                return serve(response, entry, reuse, presented, as: .joined(reason))
            case .validate(let entry): return caller.run { validated(entry, presented) }
            case .choose, .forward, .unavailable:
                return caller.run { forward(presented, reason) }
            }
        }
    }
}

extension CacheLayer {
    /// Answers with the stored response if the origin confirms it, and otherwise with the origin's new one.
    func validated(_ entry: CachedResponse, _ presented: PresentedRequest) -> Future<HTTPResponse> {
        let context = CallContext.current
        context.report(.note("revalidating"), by: Self.policy, named: cache.name)
        let validation = validation(entry, presented.request, presented)
        let wait = CacheWait(self, presented, entry)
        let future = (wait?.contextOfValidation ?? context).run { validate(validation) }
        let caller = CallerContext(keeping: context, until: future)
        let answer = future.flatMap { validated in
            caller.run { settle(validated, validation) }
        }
        let attempts = cache.attempts.withLock { $0[validation.key] }
        let limited =
            wait?.limit(answer, attempts: attempts) { runInBackground(validation) { future } }
            ?? answer
        return limited.flatMapSomeResults { result in
            guard case .failure(let error) = result else { return nil }
            return context.run { rescue(presented, entry, after: error) }
        }
    }

    func validation(
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
            if let response = confirmed(entry, fresh, presented, .stale) {
                return give(response, of: entry)
            }
            return askAlone(validation)
        case .answered(let reply, let stored, let asker):
            if let rescued = rescue(presented, validation.entry, from: reply) { return rescued }
            if asker == validation.asker {
                CallContext.current.report(.miss, by: Self.policy, named: cache.name)
                cache.count(\.misses)
                return give(reply, as: .replaced(reply.response.status))
            }
            // Another caller's answer is treated as if it had been stored before this request.
            if let stored, stored.answers(presented),
                let answer = cache.rules.answer(presented, with: stored, at: cache.moment())
            {
                CallContext.current.report(.hit, by: Self.policy, named: cache.name)
                cache.count(\.hits)
                return give(answer.marked(by: cache, .joined(.stale)), of: stored)
            }
            return askAlone(validation)
        }
    }

    private func confirmed(
        _ entry: CachedResponse, _ fresh: HTTPResponse, _ presented: PresentedRequest,
        _ reason: CacheRules.Reason
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
        return response.marked(by: cache, .confirmed(reason))
    }

    /// Sends the request of a caller that can't use a shared answer, and doesn't wait for another one.
    private func askAlone(_ validation: CacheValidation) -> Future<HTTPResponse> {
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        cache.count(\.misses)
        return CacheForwarding(cache: cache, next: next)
            .forward(validation.request, validation.presented, rescuedBy: validation.entry)
            .flatMap { reply in
                rescue(validation.presented, validation.entry, from: reply)
                    ?? give(reply, as: .answered(.stale, reply))
            }
    }
}

import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A cache around one service.
struct CacheLayer: Sendable {
    static let policy = "cache"

    let cache: HTTPCache
    let next: HTTPService
    /// Validates a stored response; equal requests share the validation meanwhile.
    let validate: Service<CacheValidation, ForwardedAnswer>
    /// Asks the origin without a stored response, likewise shared.
    let fetch: Service<ForwardedMiss, ForwardedAnswer>

    init(_ cache: HTTPCache, over next: @escaping HTTPService) {
        self.cache = cache
        self.next = next
        let asking = CacheForwarding(cache: cache, next: next)
        validate = stack(.coalesce(by: \.key, sharing: cache.group), over: asking.ask)
        fetch = stack(.coalesce(by: \.key, sharing: cache.misses), over: asking.ask)
    }

    func call(_ request: HTTPRequest) -> Future<HTTPResponse> {
        guard let key = CacheKey(request.url, host: request.headers["Host"]) else {
            return next(request)
        }
        let mayBeStored = [.get, .head].contains(request.method) && request.body.isEmpty
        if !mayBeStored, !CacheControl(request.headers).contains("only-if-cached") {
            return request.method.isSafe
                ? next(request).marked(by: cache) { _ in .forwarded(.method) }
                : writeThrough(request, key)
        }
        let presented = PresentedRequest(request, key, by: cache.rules)
        if !mayBeStored { return unavailable(presented) }
        let found = cache.store.responses(for: presented.key)
        if let result = found.result { return go(presented, (try? result.get()) ?? []) }
        let caller = KeptCaller()
        return found.recover { _ in [] }.flatMap { entries in
            caller.run { go(presented, entries) }
        }
    }

    private func go(_ presented: PresentedRequest, _ entries: [CachedResponse]) -> Future<
        HTTPResponse
    > {
        switch cache.rules.decide(presented, entries, at: cache.moment()) {
        case .serve(let response, let entry, let reuse):
            return serve(response, entry, reuse, presented, as: .hit(entry))
        case .validate(let entry): return validated(entry, presented)
        case .forward(let reason):
            return cache.coalescesMisses && presented.mayCollapse
                ? collapse(presented, reason) : forward(presented, reason)
        case .unavailable: return unavailable(presented)
        }
    }

    /// Returns a stored response.
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

    /// The stored response, as an error if it arrived as one.
    func give(_ response: HTTPResponse, of entry: CachedResponse) -> Future<HTTPResponse> {
        guard entry.isRefused else { return Future(value: response) }
        return Future(
            error: HTTPError(
                code: .unacceptableStatus, request: response.request, response: response))
    }

    /// The reply, as an error if it is one.
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

    /// Forwards the caller's request unchanged.
    func forward(_ presented: PresentedRequest, _ reason: CacheRules.Reason) -> Future<HTTPResponse>
    {
        cache.count(\.misses)
        CallContext.current.report(.miss, by: Self.policy, named: cache.name)
        return CacheForwarding(cache: cache, next: next).forward(presented.request, presented)
            .flatMap { reply in give(reply, as: .answered(reason, reply)) }
    }
}

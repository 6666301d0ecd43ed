import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

extension CacheLayer {
    /// Asks the origin, or waits for the answer to an equal request.
    ///
    /// The caller gets that answer if it might have been stored before the caller asked. Otherwise the caller
    /// uses the stored response, if it matches, and does not wait again.
    func collapse(
        _ presented: PresentedRequest, _ reason: CacheRules.Reason
    ) -> Future<HTTPResponse> {
        let cache = cache
        let miss = cache.calls.withLock { ForwardedMiss(presented, &$0) }
        let fetching = fetch(miss).onEnd { _ in
            cache.calls.withLock { _ = $0.end(presented.key) }
        }
        let caller = KeptCaller(until: fetching)
        return fetching.flatMap { fetched in
            guard case .answered(let reply, let stored, let asker) = fetched else {
                return caller.run { forward(presented, reason) }
            }
            if asker == miss.asker {
                cache.count(\.misses)
                CallContext.current.report(.miss, by: Self.policy, named: cache.name)
                return give(reply, as: .answered(reason, reply))
            }
            let entries = stored.map { [$0] } ?? []
            switch cache.rules.decide(presented, entries, at: cache.moment()) {
            case .serve(let response, let entry, let reuse):
                return serve(response, entry, reuse, presented, as: .shared(reason))
            case .validate(let entry): return caller.run { validated(entry, presented) }
            case .forward, .unavailable: return caller.run { forward(presented, reason) }
            }
        }
    }
}

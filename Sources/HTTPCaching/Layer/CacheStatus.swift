import PledgeFutures
import PledgeHTTPNetworking

/// How a cache handled a request, for the field Cache-Status (RFC 9211).
enum CacheStatus: Sendable {
    /// A stored response was returned.
    case hit(CachedResponse)
    /// The origin was asked, and the cache had no part in the answer.
    case forwarded(CacheRules.Reason)
    /// The origin has answered.
    case answered(CacheRules.Reason, OriginReply)
    /// The stored response was not valid any more; the origin has answered with this status.
    case replaced(Int)
    /// The origin has confirmed the stored response.
    case confirmed(CachedResponse)
    /// The answer is that of another call, which was under way.
    case shared(CacheRules.Reason)

    /// The parameters after the cache's name.
    func parameters(by rules: CacheRules, at now: ClockReading) -> String {
        switch self {
        case .hit(let entry): "hit; ttl=\(entry.lifetime - entry.age(at: now))"
        case .forwarded(let reason): "fwd=\(reason.rawValue)"
        case .answered(let reason, let reply):
            "fwd=\(reason.rawValue)\(rules.entry(from: reply) == nil ? "" : "; stored")"
        case .replaced(let status): "fwd=stale; fwd-status=\(status)"
        case .confirmed: "fwd=stale; fwd-status=304"
        case .shared(let reason): "fwd=\(reason.rawValue); collapsed"
        }
    }
}

extension HTTPResponse {
    /// The response with the cache's Cache-Status after existing ones, if the cache has a name.
    func marked(by cache: HTTPCache, _ status: @autoclosure () -> CacheStatus) -> HTTPResponse {
        guard let name = cache.statusName else { return self }
        var response = self
        let parameters = status().parameters(by: cache.rules, at: cache.moment())
        response.headers.add("\(name); \(parameters)", for: "Cache-Status")
        return response
    }
}

extension Future where Value == HTTPResponse {
    func marked(
        by cache: HTTPCache, _ status: @escaping @Sendable (HTTPResponse) -> CacheStatus
    ) -> Future {
        if cache.statusName == nil { return self }
        return mapWithoutOrigin { $0.marked(by: cache, status($0)) }
    }
}

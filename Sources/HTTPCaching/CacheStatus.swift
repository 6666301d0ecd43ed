import PledgeFutures
import PledgeHTTPMessages
import PledgeServices

/// How a cache handled a request, for Cache-Status (RFC 9211).
indirect enum CacheStatus: Sendable {
    case hit(CachedResponse)
    /// The request went to the origin, and the cache had no part in the answer.
    case forwarded(CacheRules.Reason)
    /// The cache forwarded the request for this reason, and the origin answered.
    case answered(CacheRules.Reason, OriginReply)
    /// The stored response was no longer valid, and the origin answered with this status.
    case replaced(Int)
    /// The origin was asked for this reason, and has confirmed the stored response.
    case confirmed(CacheRules.Reason)
    /// The answer came from another caller's request, which was already in flight.
    case joined(CacheRules.Reason)

    func value(at now: ClockReading) -> HTTPCacheStatus {
        switch self {
        case .hit(let entry): entry.age(at: now) < entry.lifetime ? .hit : .stale
        case .forwarded(let reason), .answered(let reason, _): .miss(reason)
        case .replaced: .miss(.stale)
        case .confirmed: .revalidated
        case .joined: .collapsed
        }
    }

    /// The parameters after the cache's name in the field.
    func parameters(by rules: CacheRules, at now: ClockReading) -> String {
        switch self {
        case .hit(let entry): "hit; ttl=\(entry.lifetime - entry.age(at: now))"
        case .forwarded(let reason): "fwd=\(reason.rawValue)"
        case .answered(let reason, let reply):
            "fwd=\(reason.rawValue)\(rules.entry(from: reply) == nil ? "" : "; stored")"
        case .replaced(let status): "fwd=stale; fwd-status=\(status)"
        case .confirmed(let reason): "fwd=\(reason.rawValue); fwd-status=304"
        case .joined(let reason): "fwd=\(reason.rawValue); collapsed"
        }
    }
}

extension HTTPResponse {
    /// Returns the response with its status, also as Cache-Status if the cache has a name for that.
    func marked(by cache: HTTPCache, _ status: CacheStatus) -> HTTPResponse {
        let now = cache.moment()
        var response = self
        response.nearestCacheStatus = status.value(at: now)
        if let name = cache.statusName {
            let parameters = status.parameters(by: cache.rules, at: now)
            response.headers.add("\(name); \(parameters)", for: "Cache-Status")
        }
        return response
    }
}

extension Future where Value == HTTPResponse {
    func marked(by cache: HTTPCache, _ status: CacheStatus) -> Future {
        mapWithoutOrigin { $0.marked(by: cache, status) }
    }
}

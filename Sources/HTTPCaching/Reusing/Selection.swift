import PledgeHTTPNetworking

extension CacheRules {
    /// What to do with a request.
    enum Decision: Sendable {
        /// Return a stored response.
        case serve(HTTPResponse, CachedResponse, Reuse)
        /// Ask the origin whether a stored response is still valid.
        case validate(CachedResponse)
        /// Ask the origin.
        case forward(Reason)
        /// No stored response matches, and the request forbids asking the origin.
        case unavailable
    }

    /// The reason for asking the origin, in the words of RFC 9211, section 2.2.
    enum Reason: String, Sendable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request
        case stale
        case partial
    }

    /// Decides about a GET or HEAD, given the stored responses of its URL.
    func decide(_ presented: PresentedRequest, _ entries: [CachedResponse], at now: ClockReading)
        -> Decision
    {
        if presented.forbidsStoring || presented.isForOrigin { return missing(.request, presented) }
        guard let entry = select(presented, among: entries) else {
            return missing(entries.isEmpty ? .uriMiss : .varyMiss, presented)
        }
        let reuse = reuse(entry, for: presented, at: now)
        if reuse != .none {
            guard let response = answer(presented, with: entry, at: now) else {
                return missing(.partial, presented)
            }
            return .serve(response, entry, reuse)
        }
        if presented.onlyIfCached { return .unavailable }
        let isOwn = presented.method == .get && !presented.isConditional
        let isFresh = entry.age(at: now) < entry.lifetime
        return isOwn ? .validate(entry) : .forward(isFresh ? .request : .stale)
    }

    /// Of the responses that answer a request, the one that was made last (RFC 9111, section 4.1).
    func select(_ presented: PresentedRequest, among entries: [CachedResponse]) -> CachedResponse? {
        entries.filter { $0.answers(presented) }
            .max { ($0.date, $0.number) < ($1.date, $1.number) }
    }

    private func missing(_ reason: Reason, _ presented: PresentedRequest) -> Decision {
        presented.onlyIfCached ? .unavailable : .forward(reason)
    }
}

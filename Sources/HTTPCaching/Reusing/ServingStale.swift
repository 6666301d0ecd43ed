import PledgeHTTPNetworking

extension CacheRules {
    /// How a stored response may be used without asking the origin first.
    enum Reuse: Hashable, Sendable {
        /// It is fresh enough for the request.
        case fresh
        /// It is stale, and the request accepts that.
        case stale
        /// It is stale, and may be returned while the origin is asked.
        case staleWhileRevalidating
        /// The origin has to be asked.
        case none
    }

    /// How a stored response may be used for a request (RFC 9111, sections 4 and 5.2.1; RFC 5861,
    /// section 3).
    ///
    /// Ages are whole seconds. A limit that is less than one second away counts as passed.
    func reuse(_ entry: CachedResponse, for presented: PresentedRequest, at now: ClockReading)
        -> Reuse
    {
        if entry.requiresValidation || presented.mustValidate { return .none }
        let age = entry.age(at: now)
        let maxAge = presented.control.permitted("max-age")
        if let maxAge, age >= maxAge { return .none }
        if let minFresh = presented.control.demanded("min-fresh"), entry.lifetime - age <= minFresh
        {
            return .none
        }
        if age < entry.lifetime { return .fresh }
        guard mayBeStale(entry) else { return .none }
        let staleness = age - entry.lifetime
        if let window = entry.control.permitted("stale-while-revalidate"), staleness < window,
            maxAge == nil, !presented.onlyIfCached, presented.method == .get,
            !presented.isConditional
        {
            return .staleWhileRevalidating
        }
        let maxStale = presented.control.permitted("max-stale", bare: .max)
        return maxStale.map { staleness < $0 } == true ? .stale : .none
    }

    /// Whether a stored response may be used after a failure of the origin (RFC 5861, section 4).
    ///
    /// The request's own stale-if-error replaces the response's.
    func mayUseOnError(
        _ entry: CachedResponse, for presented: PresentedRequest, at now: ClockReading
    ) -> Bool {
        if entry.requiresValidation || presented.mustValidate || !mayBeStale(entry) { return false }
        let refusesStale =
            presented.control.contains("max-age") || presented.control.contains("min-fresh")
        let limit =
            presented.control.permitted("stale-if-error")
            ?? (refusesStale ? nil : entry.control.permitted("stale-if-error"))
        return limit.map { entry.age(at: now) - entry.lifetime < $0 } ?? false
    }

    /// Whether an answer is a failure that a stored response may replace (RFC 5861, section 4).
    func isError(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Whether a response may ever be used once it is stale (RFC 9111, section 4.2.4).
    func mayBeStale(_ entry: CachedResponse) -> Bool {
        if entry.control.contains("must-revalidate") { return false }
        return mode == .private
            || !(entry.control.contains("proxy-revalidate") || entry.control.contains("s-maxage"))
    }
}

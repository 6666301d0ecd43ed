import PledgeFutures
import PledgeHTTPNetworking

/// The rules of a cache, by RFC 9111 and RFC 5861: decisions without state, clock, or lock.
struct CacheRules: Sendable {
    /// The kind of the cache.
    let mode: HTTPCache.Mode

    /// The share of the time since the last change for which a response without explicit freshness is fresh,
    /// and its maximum in seconds (RFC 9111, section 4.2.2).
    var heuristicFraction = 0.1
    var heuristicLimit: Int64 = 86_400

    /// Whether Set-Cookie of stored responses is returned.
    var replaysCookies = false

    /// The names, in lower case, of the headers that the app says separate no users, besides those that are known.
    var harmlessHeaders: Set<String> = []

    /// How many variants of one URL are kept.
    var variantLimit = 16
}

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

extension CacheRules {
    /// For how many seconds of age a response is fresh (RFC 9111, section 4.2.1).
    ///
    /// A value that cannot be parsed makes it stale, as does a repeated date.
    func lifetime(
        status: Int, headers: HTTPHeaders, control: CacheControl, date: HTTPDate
    ) -> Int64 {
        if mode == .shared, let seconds = control.permitted("s-maxage") { return seconds }
        if let seconds = control.permitted("max-age") { return seconds }
        if headers["Expires"] != nil {
            guard let expires = DateField.date(headers, "Expires") else { return 0 }
            // Negative if it had expired before: the time since then.
            return expires.secondsSince1970 - date.secondsSince1970
        }
        return heuristicLifetime(status: status, headers: headers, control: control, date: date)
    }

    /// A part of the time for which the resource had not changed (RFC 9111, section 4.2.2).
    private func heuristicLifetime(
        status: Int, headers: HTTPHeaders, control: CacheControl, date: HTTPDate
    ) -> Int64 {
        guard Self.heuristicStatuses.contains(status) || control.contains("public"),
            headers["Pragma"]?.lowercased().contains("no-cache") != true,
            let changed = DateField.date(headers, "Last-Modified")
        else { return 0 }
        let unchanged = Double(date.secondsSince1970 - changed.secondsSince1970)
        return min(max(0, Int64(unchanged * heuristicFraction)), heuristicLimit)
    }

    /// The age of a response on arrival (RFC 9111, section 4.2.3).
    ///
    /// Of several Age fields the first counts; a field that is not a number does not count.
    func initialAge(_ reply: OriginReply, date: HTTPDate) -> Int64 {
        let received = reply.responseTime.date.secondsSince1970
        let apparent = received - date.secondsSince1970
        let field = reply.response.headers.values(for: "Age").first?
            .split(separator: ",", omittingEmptySubsequences: false).first
        let told = field.flatMap { DeltaSeconds.parse(HTTPHeaders.trimmed($0)) } ?? 0
        let byClock = reply.requestTime.instant.duration(to: reply.responseTime.instant).components
            .seconds
        let delay = max(0, received - reply.requestTime.date.secondsSince1970, byClock)
        return max(0, apparent, told + delay)
    }

    /// The statuses that may be stored without explicit freshness (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]
}

/// The dates of a response; a doubtful one counts as none.
enum DateField {
    /// The date of a field; nil if there is none, if it is not a date, or if there are several that differ.
    static func date(_ headers: HTTPHeaders, _ name: String) -> HTTPDate? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// A date in one of HTTP's forms, in letters of any case (RFC 9111, section 4.2), but otherwise in the
    /// exact format: with single spaces, except before a day of one digit.
    static func date(_ text: String) -> HTTPDate? {
        if text.contains(","), text.contains("  ") { return nil }
        return HTTPDate(text) ?? HTTPDate(inItsCase(text))
    }

    /// A text with each word in the case of a date.
    private static func inItsCase(_ text: String) -> String {
        var isInWord = false
        let bytes = text.utf8.map { byte in
            defer { isInWord = byte.isLetter }
            return byte.isLetter ? (isInWord ? byte | 0x20 : byte & 0xDF) : byte
        }
        let words = String(decoding: bytes, as: UTF8.self)
        return words.hasSuffix(" Gmt") ? "\(words.dropLast(3))GMT" : words
    }
}

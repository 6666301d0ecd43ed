import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeServices

/// The decisions of a cache (RFC 9111 and RFC 5861), without state, clock or lock.
struct CacheRules: Sendable {
    let mode: HTTPCache.Mode

    /// How long a response without a lifetime is fresh, as a share of the time since its last change.
    ///
    /// `heuristicLimit` is the longest lifetime computed in this way, in seconds (RFC 9111, section 4.2.2).
    var heuristicFraction = 0.1
    var heuristicLimit: Int64 = 86_400

    /// How long a response is fresh if its headers say nothing about it, in seconds.
    var defaultLifetime: Int64 = 0

    var replaysCookies = false

    /// The lowercase names of headers that the app has declared harmless: they don't separate users.
    var harmlessHeaders: Set<String> = []

    /// The app's key of the hashes that stand for users; nil if only this process knows the users.
    var partitionKey: [UInt8]?

    /// Returns the key of the cache's folder, which another process may replace.
    var folderKey: (@Sendable () -> [UInt8])?

    /// The current key of the hashes that stand for users.
    var hashKey: [UInt8]? { partitionKey ?? folderKey?() }

    /// How long a stale response may still answer for an unreachable origin, in seconds.
    var unreachableLimit: Int64 = 0

    var variantLimit = 16
}

extension CacheRules {
    /// What to do with a request.
    enum Decision: Sendable {
        case serve(HTTPResponse, CachedResponse, Reuse)
        /// Ask the origin whether a stored response is still valid.
        case validate(CachedResponse)
        /// Ask the origin which of these variants, stored for other requests, it would send now.
        case choose([CachedResponse])
        /// Ask the origin; the stored response may answer if the origin fails.
        case forward(Reason, CachedResponse? = nil)
        /// Nothing stored matches, and the request forbids asking the origin.
        case unavailable
    }

    typealias Reason = HTTPCacheStatus.Reason

    /// Decides how to answer a GET or HEAD, given what is stored for its URL.
    func decide(_ presented: PresentedRequest, _ entries: [CachedResponse], at now: ClockReading)
        -> Decision
    {
        if presented.forbidsStoring || presented.isForOrigin { return missing(.request, presented) }
        guard let entry = select(presented, among: entries) else {
            let choices = choices(presented, among: entries)
            if !choices.isEmpty { return .choose(choices) }
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
        return isOwn ? .validate(entry) : .forward(isFresh ? .request : .stale, entry)
    }

    /// The latest stored response that answers the request (RFC 9111, section 4.1).
    func select(_ presented: PresentedRequest, among entries: [CachedResponse]) -> CachedResponse? {
        entries.filter { $0.answers(presented) }
            .max { ($0.date, $0.number) < ($1.date, $1.number) }
    }

    /// The variants that the origin may choose from, the latest first (RFC 9111, section 4.3.1).
    ///
    /// They belong to the request's users; their number and the length of their tags are limited.
    private func choices(
        _ presented: PresentedRequest, among entries: [CachedResponse]
    ) -> [CachedResponse] {
        guard presented.mayCollapse, !presented.onlyIfCached else { return [] }
        let some = entries.filter {
            $0.status == 200 && $0.variant.isOf(presented.partition) && $0.listedTag != nil
        }
        return some.sorted { ($0.date, $0.number) > ($1.date, $1.number) }
            .prefix(variantLimit).map { $0 }
    }

    private func missing(_ reason: Reason, _ presented: PresentedRequest) -> Decision {
        presented.onlyIfCached ? .unavailable : .forward(reason)
    }
}

extension CacheRules {
    /// How a stored response may be used before the origin has answered.
    enum Reuse: Hashable, Sendable {
        case fresh
        /// It's stale, and the request accepts that.
        case stale
        /// It's stale, but may be returned while the cache validates it.
        case staleWhileRevalidating
        case none
    }

    /// Returns how a stored response may be used for a request (RFC 9111, sections 4 and 5.2.1, and RFC 5861, section
    /// 3).
    ///
    /// Ages are whole seconds, and an age equal to a limit exceeds it.
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

    /// Returns whether a stored response may answer after the origin has failed (RFC 5861, section 4).
    ///
    /// The request's stale-if-error overrides the response's. If there is neither, the cache's own limit counts, for an
    /// unreachable origin (RFC 9111, section 4.2.4).
    func mayUseOnError(
        _ entry: CachedResponse, for presented: PresentedRequest, at now: ClockReading,
        isUnreachable: Bool = false
    ) -> Bool {
        if entry.requiresValidation || presented.mustValidate || !mayBeStale(entry) { return false }
        let staleness = entry.age(at: now) - entry.lifetime
        if let limit = presented.control.permitted("stale-if-error") { return staleness < limit }
        let refuses = presented.control.contains
        if refuses("max-age") || refuses("min-fresh") { return false }
        if let limit = entry.control.permitted("stale-if-error") { return staleness < limit }
        // The request's max-stale isn't checked: within it, the origin wouldn't have been asked.
        return isUnreachable && !refuses("max-stale") && staleness < unreachableLimit
    }

    /// Returns whether a response is of no more use: stale, without a validator, and too old to stand in for the
    /// origin.
    ///
    /// A response of a cache of the other kind isn't judged.
    func isExpired(_ entry: CachedResponse, at now: ClockReading) -> Bool {
        if entry.hasValidator || (entry.variant.mode ?? mode) != mode { return false }
        if entry.requiresValidation { return true }
        let staleness = entry.age(at: now) - entry.lifetime
        if staleness < 0 { return false }
        guard mayBeStale(entry) else { return true }
        let onError = entry.control.permitted("stale-if-error") ?? unreachableLimit
        let meanwhile = entry.control.permitted("stale-while-revalidate") ?? 0
        return staleness >= max(onError, meanwhile)
    }

    /// Returns whether a call has failed before the origin answered, because no connection to it works or no answer
    /// came in time.
    ///
    /// Refusals by the caller's own policies, such as a full bulkhead, don't count.
    func isUnreachable(by error: any Error) -> Bool {
        switch error {
        case let error as HTTPError where error.response == nil:
            switch error.code {
            case .notConnected, .cannotFindHost, .cannotConnect, .connectionLost: true
            case .timedOut: (error.cause as? ServiceError).map(isUnreachable) ?? true
            default: false
            }
        case let error as ServiceError:
            [.timedOut, .deadlineExceeded, .circuitOpen].contains(error.code)
        case let error as FutureError: error.code == .timedOut
        default: false
        }
    }

    /// Returns whether a stored response may replace an answer with this status (RFC 5861, section 4).
    func isError(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Returns whether the response may be used once it's stale (RFC 9111, section 4.2.4).
    func mayBeStale(_ entry: CachedResponse) -> Bool {
        if entry.control.contains("must-revalidate") { return false }
        return mode == .private
            || !(entry.control.contains("proxy-revalidate") || entry.control.contains("s-maxage"))
    }
}

extension CacheRules {
    /// Up to which age a response is fresh, in seconds (RFC 9111, section 4.2.1).
    ///
    /// An unreadable value makes it stale, and so does an Expires that is repeated with different dates.
    func lifetime(
        status: Int, headers: HTTPHeaders, control: CacheControl, date: Date
    ) -> Int64 {
        if mode == .shared, let seconds = control.permitted("s-maxage") { return seconds }
        if let seconds = control.permitted("max-age") { return seconds }
        if headers["Expires"] != nil {
            guard let expires = DateField.date(headers, "Expires") else { return 0 }
            // Negative if the response had expired before its Date.
            return expires.secondsSince1970 - date.secondsSince1970
        }
        return heuristicLifetime(status: status, headers: headers, control: control, date: date)
    }

    /// A share of the time since the last change (RFC 9111, section 4.2.2), or else the default lifetime.
    private func heuristicLifetime(
        status: Int, headers: HTTPHeaders, control: CacheControl, date: Date
    ) -> Int64 {
        guard Self.heuristicStatuses.contains(status) || control.contains("public"),
            headers["Pragma"]?.lowercased().contains("no-cache") != true
        else { return 0 }
        guard let changed = DateField.date(headers, "Last-Modified") else { return defaultLifetime }
        let unchanged = Double(date.secondsSince1970 - changed.secondsSince1970)
        return min(max(0, Int64(unchanged * heuristicFraction)), heuristicLimit)
    }

    /// A response's age on arrival, in seconds (RFC 9111, section 4.2.3).
    ///
    /// The first of several Age fields counts; one that isn't a number doesn't.
    func initialAge(_ reply: OriginReply, date: Date) -> Int64 {
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

enum DateField {
    /// Returns nil if the field is absent, isn't a date, or is repeated with different values.
    static func date(_ headers: HTTPHeaders, _ name: String) -> Date? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// Parses one of HTTP's date formats, in any case of letters (RFC 9111, section 4.2).
    ///
    /// Otherwise the format must be exact, with single spaces except before a one-digit day.
    static func date(_ text: String) -> Date? {
        if text.contains(","), text.contains("  ") { return nil }
        return Date(httpText: text) ?? Date(httpText: inItsCase(text))
    }

    /// Capitalises each word as in a date.
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

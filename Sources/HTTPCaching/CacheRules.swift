import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeServices

/// Makes a cache's decisions by the rules of RFC 9111 and RFC 5861, without state, clock or lock.
struct CacheRules: Sendable {
    /// The kind of cache.
    let mode: HTTPCache.Mode

    /// How long a response without an explicit lifetime is fresh, as a share of the time since its last change.
    ///
    /// `heuristicLimit` is the longest lifetime that is computed in this way, in seconds (RFC 9111, section 4.2.2).
    var heuristicFraction = 0.1
    var heuristicLimit: Int64 = 86_400

    /// How long a response is fresh whose headers say nothing about that, in seconds.
    var defaultLifetime: Int64 = 0

    /// True if stored responses are returned with their Set-Cookie.
    var replaysCookies = false

    /// The lowercase names of the headers that the app has declared harmless: they don't separate users.
    var harmlessHeaders: Set<String> = []

    /// The key of the hashes that stand for users; nil if they are known to this process only.
    var partitionKey: [UInt8]?

    /// The key of a folder, which may get another one; nil if there is no folder.
    var folderKey: (@Sendable () -> [UInt8])?

    /// The key of the hashes that stand for users now.
    var hashKey: [UInt8]? { partitionKey ?? folderKey?() }

    /// How long after it became stale a response may answer for an unreachable origin, in seconds; zero for never.
    var unreachableLimit: Int64 = 0

    /// The number of variants kept per URL.
    var variantLimit = 16
}

extension CacheRules {
    /// The action for a request.
    enum Decision: Sendable {
        /// Return a stored response.
        case serve(HTTPResponse, CachedResponse, Reuse)
        /// Ask the origin whether a stored response is still valid.
        case validate(CachedResponse)
        /// Ask the origin which of these variants, made for other requests, it would send now.
        case choose([CachedResponse])
        /// Ask the origin; the stored response, if there is one, may answer for an origin that fails.
        case forward(Reason, CachedResponse? = nil)
        /// No stored response matches, and the request forbids asking the origin.
        case unavailable
    }

    /// The reason for asking the origin.
    typealias Reason = HTTPCacheStatus.Reason

    /// Decides how to answer a GET or HEAD, given the stored responses of its URL.
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

    /// Returns the latest stored response that answers the request (RFC 9111, section 4.1).
    func select(_ presented: PresentedRequest, among entries: [CachedResponse]) -> CachedResponse? {
        entries.filter { $0.answers(presented) }
            .max { ($0.date, $0.number) < ($1.date, $1.number) }
    }

    /// Returns the variants whose tags the origin may choose from, the latest first (RFC 9111, section 4.3.1).
    ///
    /// They belong to the users of the request. Their number and the lengths of their tags are limited.
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
    /// The ways to use a stored response without asking the origin first.
    enum Reuse: Hashable, Sendable {
        /// The stored response is fresh enough for the request.
        case fresh
        /// The stored response is stale, and the request accepts stale responses.
        case stale
        /// The stored response is stale, but may be returned while the cache revalidates it.
        case staleWhileRevalidating
        /// The stored response can't be used before the origin has answered.
        case none
    }

    /// Returns how a stored response may be used for a request.
    ///
    /// The rules are in RFC 9111, sections 4 and 5.2.1, and in RFC 5861, section 3. Ages are whole seconds. If an age
    /// equals a limit, the limit counts as passed.
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

    /// Returns whether a stored response may be used after the origin has failed (RFC 5861, section 4).
    ///
    /// If the request has a stale-if-error, the response's stale-if-error doesn't count. If neither has one, and the
    /// origin couldn't be reached, the cache's own limit counts (RFC 9111, section 4.2.4).
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
        // If the staleness were below the request's max-stale, the origin wouldn't have been asked.
        return isUnreachable && !refuses("max-stale") && staleness < unreachableLimit
    }

    /// Returns whether a stored response can answer no request any more, unless the request permits it.
    ///
    /// It's stale, has no validator, and isn't within its stale-while-revalidate, its stale-if-error, or the cache's
    /// limit for an origin that can't be reached. A response of a cache of the other kind isn't judged.
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

    /// Returns whether a call has failed before the origin answered, because no connection to it works, or because no
    /// answer came in time.
    ///
    /// The refusals of the caller's own policies don't count: a full bulkhead, a rate.
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

    /// Returns whether a status is a failure that a stored response may replace (RFC 5861, section 4).
    func isError(status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Returns whether a response may still be used after it has become stale (RFC 9111, section 4.2.4).
    func mayBeStale(_ entry: CachedResponse) -> Bool {
        if entry.control.contains("must-revalidate") { return false }
        return mode == .private
            || !(entry.control.contains("proxy-revalidate") || entry.control.contains("s-maxage"))
    }
}

extension CacheRules {
    /// Returns the age, in seconds, up to which a response is fresh (RFC 9111, section 4.2.1).
    ///
    /// A value that can't be parsed makes the response stale, and so does an Expires that is repeated with different
    /// dates.
    func lifetime(
        status: Int, headers: HTTPHeaders, control: CacheControl, date: Date
    ) -> Int64 {
        if mode == .shared, let seconds = control.permitted("s-maxage") { return seconds }
        if let seconds = control.permitted("max-age") { return seconds }
        if headers["Expires"] != nil {
            guard let expires = DateField.date(headers, "Expires") else { return 0 }
            // If the response had expired before its Date, the result is negative.
            return expires.secondsSince1970 - date.secondsSince1970
        }
        return heuristicLifetime(status: status, headers: headers, control: control, date: date)
    }

    /// Returns a share of the time since the resource last changed (RFC 9111, section 4.2.2), or the default lifetime.
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

    /// Returns a response's age on arrival, in seconds (RFC 9111, section 4.2.3).
    ///
    /// The first of several Age fields counts. A field that isn't a number is ignored.
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

/// Reads the dates in a response's headers; a doubtful date counts as absent.
enum DateField {
    /// Returns the date in a field; nil if it's absent, isn't a date, or is repeated with different values.
    static func date(_ headers: HTTPHeaders, _ name: String) -> Date? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// Parses a date in one of HTTP's forms, in upper or lower case (RFC 9111, section 4.2).
    ///
    /// Apart from the case of letters, the format must be exact, with single spaces except before a one-digit day.
    static func date(_ text: String) -> Date? {
        if text.contains(","), text.contains("  ") { return nil }
        return Date(httpText: text) ?? Date(httpText: inItsCase(text))
    }

    /// Returns the text with each word capitalised as in a date.
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

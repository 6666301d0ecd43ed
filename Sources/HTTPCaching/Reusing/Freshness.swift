import PledgeFutures
import PledgeHTTPNetworking

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

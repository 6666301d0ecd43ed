import PledgeHTTPNetworking

extension CacheRules {
    /// The stored form of a response; nil if it must not be stored.
    func entry(from reply: OriginReply) -> CachedResponse? {
        let response = reply.response
        guard reply.presented.method == .get, !reply.isForeign,
            mayStore(status: response.status, response.headers, reply.presented),
            isWhole(response), isOfItsURL(reply)
        else { return nil }
        var entry = entry(
            status: response.status, StoredFields.storable(response.headers, mode: mode),
            like: response, reply)
        entry?.isRefused = reply.refusal != nil
        return entry.flatMap { isOfUse($0) ? $0 : nil }
    }

    /// Makes an entry; nil if it would answer no request.
    func entry(
        status: Int, _ headers: HTTPHeaders, like response: HTTPResponse, _ reply: OriginReply
    ) -> CachedResponse? {
        var headers = headers
        let date = DateField.date(reply.response.headers, "Date") ?? reply.responseTime.date
        headers.set(date.text, for: "Date")
        guard
            let variant = CacheVariant(
                of: reply.presented, status: status, response: headers, mode: mode)
        else { return nil }
        let control = CacheControl(headers)
        return CachedResponse(
            status: status, headers: headers, body: response.body, url: response.url,
            variant: variant, requestTime: reply.requestTime.date,
            responseTime: reply.responseTime.date, initialAge: initialAge(reply, date: date),
            lifetime: lifetime(status: status, headers: headers, control: control, date: date),
            received: reply.responseTime.instant, number: reply.number, control: control)
    }

    /// Whether a response may be stored (RFC 9111, section 3).
    func mayStore(status: Int, _ headers: HTTPHeaders, _ presented: PresentedRequest) -> Bool {
        let control = CacheControl(headers)
        guard !presented.forbidsStoring, isFinal(status),
            mode == .shared || !presented.partition.isOver,
            !presented.asksForLess || status == 200,
            !StoredFields.areVital(StoredFields.connectionFields(headers))
        else { return false }
        if control.contains("must-understand") {
            // It overrides no-store for caches that understand the status (section 5.2.2.3).
            guard Self.understoodStatuses.contains(status) else { return false }
        } else if control.contains("no-store") {
            return false
        }
        if mode == .shared, !mayShare(control, presented) { return false }
        return control.contains("public") || control.contains("max-age")
            || control.contains(mode == .private ? "private" : "s-maxage")
            || headers["Expires"] != nil || Self.heuristicStatuses.contains(status)
    }

    /// Whether a response may be returned to other users (RFC 9111, sections 3.5 and 5.2.2.7).
    private func mayShare(_ control: CacheControl, _ presented: PresentedRequest) -> Bool {
        if control.contains("private"), control.fieldNames("private") == nil { return false }
        return !presented.partition.isAuthorized
            || ["must-revalidate", "public", "s-maxage"].contains(where: control.contains)
    }

    /// Whether a status is final, and describes a whole resource.
    private func isFinal(_ status: Int) -> Bool {
        (200...599).contains(status) && status != 206 && status != 304
    }

    /// Whether the body has the announced length; for an encoded body, the length does not apply.
    private func isWhole(_ response: HTTPResponse) -> Bool {
        let lengths = Set(response.headers.values(for: "Content-Length"))
        if lengths.isEmpty || response.headers["Content-Encoding"] != nil { return true }
        return lengths == ["\(response.body.count)"]
    }

    /// Whether the requested URL has answered, and not the target of a redirect.
    private func isOfItsURL(_ reply: OriginReply) -> Bool {
        reply.response.url.map { CacheKey($0)?.url == reply.presented.key.url } ?? true
    }

    /// Whether an entry could answer any request.
    private func isOfUse(_ entry: CachedResponse) -> Bool {
        entry.hasValidator || (!entry.requiresValidation && entry.lifetime > 0)
            || (!entry.requiresValidation && mayBeStale(entry) && isExplicit(entry))
    }

    private func isExplicit(_ entry: CachedResponse) -> Bool {
        entry.control.contains("max-age") || entry.headers["Expires"] != nil
            || entry.control.contains("stale-if-error")
            || entry.control.contains("stale-while-revalidate")
    }

    /// The statuses of RFC 9110 whose caching is known here.
    static let understoodStatuses: Set<Int> = heuristicStatuses.subtracting([206])
        .union([201, 202, 205, 302, 303, 307, 400, 401, 403, 406, 407, 408, 409, 411, 413, 415])
        .union([417, 421, 422, 426, 500, 502, 503, 504, 505])
}

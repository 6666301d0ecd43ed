import PledgeHTTPMessages

extension CacheRules {
    /// The stored form of a response; nil if it must not be stored.
    func entry(from reply: OriginReply) -> CachedResponse? {
        let response = reply.response
        guard reply.presented.method == .get, !reply.isForeign,
            mayStore(status: response.status, response.headers, reply.presented),
            isWhole(response), isOfItsURL(reply),
            response.status != 206 || ByteRange.isWhole(response, for: reply.presented.headers)
        else { return nil }
        let headers = StoredFields.storable(response.headers, mode: mode)
        var entry = entry(status: response.status, headers, like: response, reply)
        entry?.isRefused = reply.refusal != nil
        return entry.flatMap { isOfUse($0) ? $0 : nil }
    }

    /// Returns nil if the stored response would answer no request.
    func entry(
        status: Int, _ headers: HTTPHeaders, like response: HTTPResponse, _ reply: OriginReply
    ) -> CachedResponse? {
        var headers = headers
        if !replaysCookies { headers.remove("Set-Cookie") }
        let date = DateField.date(reply.response.headers, "Date") ?? reply.responseTime.date
        headers.set(date.httpText, for: "Date")
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

    /// Returns whether a response may be stored (RFC 9111, section 3).
    func mayStore(status: Int, _ headers: HTTPHeaders, _ presented: PresentedRequest) -> Bool {
        let control = CacheControl(headers)
        guard !presented.forbidsStoring, isFinal(status),
            mode == .shared || !presented.isOver,
            !presented.asksForLess || [200, 206].contains(status),
            !StoredFields.areVital(StoredFields.connectionFields(headers))
        else { return false }
        if control.contains("must-understand") {
            // must-understand overrides no-store for a status that the cache understands (section 5.2.2.3).
            guard Self.understoodStatuses.contains(status) else { return false }
        } else if control.contains("no-store") {
            return false
        }
        if mode == .shared, !mayShare(control, presented) { return false }
        return control.contains("public") || control.contains("max-age")
            || control.contains(mode == .private ? "private" : "s-maxage")
            || headers["Expires"] != nil || Self.heuristicStatuses.contains(status)
    }

    /// Returns whether other users may get the response (RFC 9111, sections 3.5 and 5.2.2.7).
    private func mayShare(_ control: CacheControl, _ presented: PresentedRequest) -> Bool {
        if control.contains("private"), control.fieldNames("private") == nil { return false }
        return !presented.partition.isAuthorized
            || ["must-revalidate", "public", "s-maxage"].contains(where: control.contains)
    }

    private func isFinal(_ status: Int) -> Bool { (200...599).contains(status) && status != 304 }

    /// Returns whether the body is as long as declared; an encoded body isn't checked.
    private func isWhole(_ response: HTTPResponse) -> Bool {
        let lengths = Set(response.headers.values(for: "Content-Length"))
        if lengths.isEmpty || response.headers["Content-Encoding"] != nil { return true }
        return lengths == ["\(response.body.count)"]
    }

    /// Returns whether the response is of the requested URL, and not of a redirect's target.
    private func isOfItsURL(_ reply: OriginReply) -> Bool {
        reply.response.url.map { CacheKey($0)?.url == reply.presented.key.url } ?? true
    }

    /// Returns whether the response would ever be used.
    private func isOfUse(_ entry: CachedResponse) -> Bool {
        entry.hasValidator || (!entry.requiresValidation && entry.lifetime > 0)
            || (!entry.requiresValidation && mayBeStale(entry)
                && (unreachableLimit > 0 || isExplicit(entry)))
    }

    private func isExplicit(_ entry: CachedResponse) -> Bool {
        entry.control.contains("max-age") || entry.headers["Expires"] != nil
            || entry.control.contains("stale-if-error")
            || entry.control.contains("stale-while-revalidate")
    }

    /// The statuses of RFC 9110 whose caching rules this cache knows.
    static let understoodStatuses: Set<Int> =
        heuristicStatuses
        .union([201, 202, 205, 302, 303, 307, 400, 401, 403, 406, 407, 408, 409, 411, 413, 415])
        .union([417, 421, 422, 426, 500, 502, 503, 504, 505])
}

extension CacheRules {
    /// What a reply of the origin does to the stored responses of its URL.
    enum Change: Sendable {
        /// Replaces the responses that answered the same requests.
        case put(CachedResponse)
        /// Removes the responses that answered the same requests.
        case drop
        /// Updates them with a 304.
        case freshen
        /// Updates the stored answers to GET with an answer to HEAD.
        case freshenByHead
        case nothing
    }

    func change(by reply: OriginReply) -> Change {
        let (presented, status) = (reply.presented, reply.response.status)
        if reply.isForeign { return .nothing }
        if presented.method == .head {
            if presented.forbidsStoring { return .nothing }
            return status == 200 ? .freshenByHead : [404, 410].contains(status) ? .drop : .nothing
        }
        if presented.forbidsStoring { return .nothing }
        if status == 304 { return .freshen }
        // The caller gets this stored response instead of the error, so the store has to keep it.
        if isError(status: status), let entry = reply.substitute,
            mayUseOnError(entry, for: presented, at: reply.responseTime)
        {
            return .nothing
        }
        if let entry = entry(from: reply) { return .put(entry) }
        let isNews = (200..<400).contains(status) && status != 206 || [404, 410].contains(status)
        return isNews && (!presented.asksForLess || status == 200) ? .drop : .nothing
    }

    /// Changes the stored responses of the reply's URL, and removes those that can't be returned any more.
    ///
    /// A stored response stays if its call, in any process, began later than the reply's: then the reply is the older
    /// one, even if it arrived later.
    func apply(_ change: Change, of reply: OriginReply, to entries: inout [CachedResponse]) {
        entries.removeAll { $0.variant.isOver }
        switch change {
        case .put(let entry): put(entry, of: reply, to: &entries)
        case .drop: entries.removeAll { isOlder($0, reply) }
        case .freshen:
            entries = entries.compactMap { freshen($0, reply) }
            if let (chosen, isKept) = chosen(by: reply), isKept {
                put(chosen, of: reply, to: &entries)
            }
        case .freshenByHead: entries = entries.compactMap { freshenByHead($0, reply) }
        case .nothing: break
        }
    }

    private func isOlder(_ entry: CachedResponse, _ reply: OriginReply) -> Bool {
        !isLater(entry, than: reply)
            && entry.variant.isAskedFor(by: reply.presented, ignoringRange: true)
    }

    /// Returns whether a stored response's call began later than the reply's.
    ///
    /// Calls of other processes have no numbers here, so the wall clock decides, and within one second the origin's
    /// dates. A time in the future comes from a wrong clock, and is ignored.
    private func isLater(_ entry: CachedResponse, than reply: OriginReply) -> Bool {
        if entry.number >= reply.number { return true }
        guard entry.received == nil, entry.requestTime <= reply.responseTime.date else {
            return false
        }
        let date = DateField.date(reply.response.headers, "Date") ?? reply.responseTime.date
        return (entry.requestTime, entry.date) > (reply.requestTime.date, date)
    }

    private func put(
        _ entry: CachedResponse, of reply: OriginReply, to entries: inout [CachedResponse]
    ) {
        entries.removeAll { isOlder($0, reply) && !isOfSameVersion($0, as: entry, reply) }
        let isLate = entries.contains {
            isLater($0, than: reply) && $0.variant.matches(reply.presented)
        }
        if isLate { return }
        entries.append(entry)
        guard entries.count > variantLimit else { return }
        entries.remove(at: entries.firstIndex { $0.status == 206 } ?? 0)
    }

    /// Returns whether a stored response stays beside a new one: one of them is a part, and both have the same tag.
    private func isOfSameVersion(
        _ stored: CachedResponse, as new: CachedResponse, _ reply: OriginReply
    ) -> Bool {
        guard [stored.status, new.status].contains(206),
            let tag = EntityTag(of: new.headers), let other = EntityTag(of: stored.headers)
        else { return false }
        let isReplaced = stored.status == 206 && stored.variant.isAskedFor(by: reply.presented)
        return tag.matchesStrongly(other) && !isReplaced
    }

    /// Returns a stored response updated by a 304; nil to remove it.
    ///
    /// A 304 with a strong tag updates every variant with that tag (RFC 9111, section 4.3.4). Other users' variants
    /// aren't updated, because the 304's headers are for one user.
    private func freshen(_ entry: CachedResponse, _ reply: OriginReply) -> CachedResponse? {
        if isLater(entry, than: reply) { return entry }
        let fresh = reply.response.headers
        // Variants that one 304 has renewed share its number.
        let isOwn =
            reply.validated.map {
                $0.number == entry.number && $0.variant == entry.variant
            } ?? false
        let isAsked = isOwn || entry.variant.matches(reply.presented)
        guard confirms(fresh, entry, isOwn: isOwn) else { return isOwn ? nil : entry }
        let isStrong = EntityTag(of: fresh)?.isWeak == false
        guard isAsked || isStrong && entry.variant.isOf(reply.presented.partition) else {
            return entry
        }
        guard let (confirmed, isKept) = freshened(entry, by: reply), isKept else { return nil }
        if isAsked { return confirmed }
        let isSame = confirmed.variant.names == entry.variant.names
        return isSame ? confirmed.with(variant: entry.variant) : nil
    }

    /// Returns a stored response updated by an answer to HEAD (RFC 9111, section 4.3.5); nil to remove it.
    ///
    /// An answer with neither a validator nor the same Content-Length confirms nothing.
    private func freshenByHead(_ entry: CachedResponse, _ reply: OriginReply) -> CachedResponse? {
        guard isOlder(entry, reply), entry.variant.matches(reply.presented) else { return entry }
        let head = reply.response.headers
        let length = head["Content-Length"] ?? "\(entry.body.count)"
        let stored = entry.headers["Content-Length"] ?? "\(entry.body.count)"
        let differs = ["ETag", "Last-Modified"].contains { name in
            head[name] != nil && head[name] != entry.headers[name]
        }
        // A success doesn't confirm a stored error.
        let isError = !(200...299).contains(entry.status)
        if isError || differs || length != stored && entry.headers["Content-Encoding"] == nil {
            var entry = entry
            entry.isDoubted = true
            return entry.hasValidator ? entry : nil
        }
        let isAsLong =
            head["Content-Length"] == stored && entry.headers["Content-Encoding"] == nil
        guard isAsLong || head["ETag"] != nil || head["Last-Modified"] != nil else { return entry }
        guard let (confirmed, isKept) = freshened(entry, by: reply), isKept else { return nil }
        return confirmed
    }
}

/// Selects the headers to store, and those that a 304 updates.
enum StoredFields {
    /// Returns whether one of the names is a header that decides about caching.
    static func areVital(_ names: Set<String>) -> Bool { !names.isDisjoint(with: vital) }

    /// The lowercase names in Connection, which concern one connection only.
    static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        let listed = headers.values(for: "Connection").joined(separator: ",").split(separator: ",")
        return Set(listed.map { HTTPHeaders.trimmed($0).lowercased() })
    }

    /// The headers that may be stored (RFC 9111, section 3.1); Age is stored separately.
    static func storable(_ headers: HTTPHeaders, mode: HTTPCache.Mode) -> HTTPHeaders {
        var left = headers
        let control = CacheControl(headers)
        var unwanted = connectionFields(headers).union(hopByHop)
        unwanted.formUnion(control.fieldNames("no-cache").map { areVital($0) ? [] : $0 } ?? [])
        if mode == .shared { unwanted.formUnion(control.fieldNames("private") ?? []) }
        for name in unwanted { left.remove(name) }
        return left
    }

    /// Returns stored headers, updated by a 304 (RFC 9111, section 3.2).
    ///
    /// Headers that describe the body's bytes stay, because a layer below may have decoded the body.
    static func update(
        _ stored: HTTPHeaders, by fresh: HTTPHeaders, mode: HTTPCache.Mode
    ) -> HTTPHeaders {
        var updated = stored
        var changes = storable(fresh, mode: mode)
        for name in ofTheBody { changes.remove(name) }
        for field in changes { updated.remove(field.name) }
        updated.add(changes) { _ in true }
        return storable(updated, mode: mode)
    }

    private static let vital: Set<String> = [
        "age", "cache-control", "content-encoding", "content-length", "content-range", "date",
        "etag", "expires", "last-modified", "pragma", "vary",
    ]

    private static let hopByHop: Set<String> = [
        "age", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    private static let ofTheBody: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]
}

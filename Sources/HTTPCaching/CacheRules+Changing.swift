import HTTPNetworking

extension CacheRules {
    /// What an exchange changes in what is stored for its URL.
    enum Change: Sendable {
        /// Something new is there, in the place of what answered the same requests.
        case put(CachedResponse)
        /// What answered the same requests is out of date.
        case drop
        /// The answer was a 304.
        case confirm
        /// The answer to HEAD told how GET would be answered.
        case compare
        case nothing
    }

    /// What an exchange changes.
    func change(by exchange: CacheExchange) -> Change {
        let (query, status) = (exchange.query, exchange.response.status)
        if exchange.isForeign { return .nothing }
        if query.method == .head {
            if query.forbidsStoring { return .nothing }
            return status == 200 ? .compare : [404, 410].contains(status) ? .drop : .nothing
        }
        if query.forbidsStoring { return .nothing }
        if status == 304 { return .confirm }
        // An error does not take the place of what is given in its stead.
        if isError(status: status), let entry = exchange.validated,
            mayUseOnError(entry, for: query, at: exchange.received)
        {
            return .nothing
        }
        if let entry = entry(from: exchange) { return .put(entry) }
        let isNews = (200..<400).contains(status) && status != 206 || [404, 410].contains(status)
        return isNews && (!query.asksForLess || status == 200) ? .drop : .nothing
    }

    /// Makes a change to what is stored for the URL of an exchange.
    ///
    /// What is of a call that began later stays: the answer of a slow one is the older. What nobody can
    /// be given any more goes.
    func apply(_ change: Change, of exchange: CacheExchange, to entries: inout [CachedResponse]) {
        entries.removeAll { $0.variant.isOver }
        switch change {
        case .put(let entry): put(entry, of: exchange, to: &entries)
        case .drop: entries.removeAll { isOlder($0, exchange) }
        case .confirm: entries = entries.compactMap { confirm($0, exchange) }
        case .compare: entries = entries.compactMap { compare($0, exchange) }
        case .nothing: break
        }
    }

    private func isOlder(_ entry: CachedResponse, _ exchange: CacheExchange) -> Bool {
        entry.number < exchange.number && entry.variant.matches(exchange.query)
    }

    private func put(
        _ entry: CachedResponse, of exchange: CacheExchange, to entries: inout [CachedResponse]
    ) {
        entries.removeAll { isOlder($0, exchange) }
        if entries.contains(where: { $0.variant.matches(exchange.query) }) { return }
        entries.append(entry)
        if entries.count > variantLimit { entries.removeFirst() }
    }

    /// What a 304 makes of a stored response; nil where that may not be kept.
    ///
    /// With a strong tag it speaks of every variant that has the same (RFC 9111, section 4.3.4), but not of
    /// another user's: what it says beside that is for one.
    private func confirm(_ entry: CachedResponse, _ exchange: CacheExchange) -> CachedResponse? {
        if entry.number >= exchange.number { return entry }
        let fresh = exchange.response.headers
        let isOwn = exchange.validated?.number == entry.number
        let isAsked = isOwn || entry.variant.matches(exchange.query)
        guard confirms(fresh, entry, isOwn: isOwn) else { return isOwn ? nil : entry }
        let isStrong = EntityTag(of: fresh)?.isWeak == false
        guard isAsked || isStrong && entry.variant.isOf(exchange.query.partition) else {
            return entry
        }
        guard let (confirmed, isKept) = confirmed(entry, by: exchange), isKept else { return nil }
        if isAsked { return confirmed }
        let isSame = Set(confirmed.variant.fields.keys) == Set(entry.variant.fields.keys)
        return isSame ? confirmed.with(variant: entry.variant) : nil
    }

    /// What an answer to HEAD makes of a stored response (RFC 9111, section 4.3.5).
    ///
    /// Without any validator it confirms nothing.
    private func compare(_ entry: CachedResponse, _ exchange: CacheExchange) -> CachedResponse? {
        guard isOlder(entry, exchange) else { return entry }
        let head = exchange.response.headers
        let length = head["Content-Length"] ?? "\(entry.body.count)"
        let stored = entry.headers["Content-Length"] ?? "\(entry.body.count)"
        let differs = ["ETag", "Last-Modified"].contains { name in
            head[name] != nil && head[name] != entry.headers[name]
        }
        if differs || length != stored && entry.headers["Content-Encoding"] == nil {
            var entry = entry
            entry.isDoubted = true
            return entry.hasValidator ? entry : nil
        }
        guard head["ETag"] != nil || head["Last-Modified"] != nil else { return entry }
        guard let (confirmed, isKept) = confirmed(entry, by: exchange), isKept else { return nil }
        return confirmed
    }
}

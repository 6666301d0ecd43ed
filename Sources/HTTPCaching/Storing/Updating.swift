import PledgeHTTPNetworking

extension CacheRules {
    /// The change of a reply of the origin to the stored responses of its URL.
    enum Change: Sendable {
        /// A new response replaces those that answered the same requests.
        case put(CachedResponse)
        /// The responses that answered the same requests are outdated.
        case drop
        /// The answer was a 304.
        case freshen
        /// The answer to HEAD describes the answer to GET.
        case freshenByHead
        case nothing
    }

    /// The change of a reply of the origin.
    func change(by reply: OriginReply) -> Change {
        let (presented, status) = (reply.presented, reply.response.status)
        if reply.isForeign { return .nothing }
        if presented.method == .head {
            if presented.forbidsStoring { return .nothing }
            return status == 200 ? .freshenByHead : [404, 410].contains(status) ? .drop : .nothing
        }
        if presented.forbidsStoring { return .nothing }
        if status == 304 { return .freshen }
        // An error does not replace the stored response that is returned instead of it.
        if isError(status: status), let entry = reply.validated,
            mayUseOnError(entry, for: presented, at: reply.responseTime)
        {
            return .nothing
        }
        if let entry = entry(from: reply) { return .put(entry) }
        let isNews = (200..<400).contains(status) && status != 206 || [404, 410].contains(status)
        return isNews && (!presented.asksForLess || status == 200) ? .drop : .nothing
    }

    /// Applies a change to the stored responses of the URL of a reply.
    ///
    /// The answer to a call that began later is kept: the answer to a slow call is older. Responses that
    /// cannot be returned any more are removed.
    func apply(_ change: Change, of reply: OriginReply, to entries: inout [CachedResponse]) {
        entries.removeAll { $0.variant.isOver }
        switch change {
        case .put(let entry): put(entry, of: reply, to: &entries)
        case .drop: entries.removeAll { isOlder($0, reply) }
        case .freshen: entries = entries.compactMap { freshen($0, reply) }
        case .freshenByHead: entries = entries.compactMap { freshenByHead($0, reply) }
        case .nothing: break
        }
    }

    private func isOlder(_ entry: CachedResponse, _ reply: OriginReply) -> Bool {
        entry.number < reply.number && entry.variant.concerns(reply.presented)
    }

    private func put(
        _ entry: CachedResponse, of reply: OriginReply, to entries: inout [CachedResponse]
    ) {
        entries.removeAll { isOlder($0, reply) }
        if entries.contains(where: { $0.variant.matches(reply.presented) }) { return }
        entries.append(entry)
        if entries.count > variantLimit { entries.removeFirst() }
    }

    /// A stored response, updated by a 304; nil if it may not be kept.
    ///
    /// With a strong tag it refers to every variant with the same tag (RFC 9111, section 4.3.4), but not to
    /// those of other users: its other headers are for one user.
    private func freshen(_ entry: CachedResponse, _ reply: OriginReply) -> CachedResponse? {
        if entry.number >= reply.number { return entry }
        let fresh = reply.response.headers
        let isOwn = reply.validated?.number == entry.number
        let isAsked = isOwn || entry.variant.matches(reply.presented)
        guard confirms(fresh, entry, isOwn: isOwn) else { return isOwn ? nil : entry }
        let isStrong = EntityTag(of: fresh)?.isWeak == false
        guard isAsked || isStrong && entry.variant.isOf(reply.presented.partition) else {
            return entry
        }
        guard let (confirmed, isKept) = freshened(entry, by: reply), isKept else { return nil }
        if isAsked { return confirmed }
        let isSame = Set(confirmed.variant.fields.keys) == Set(entry.variant.fields.keys)
        return isSame ? confirmed.with(variant: entry.variant) : nil
    }

    /// A stored response, updated by an answer to HEAD (RFC 9111, section 4.3.5).
    ///
    /// Without a validator it confirms nothing.
    private func freshenByHead(_ entry: CachedResponse, _ reply: OriginReply) -> CachedResponse? {
        guard isOlder(entry, reply), entry.variant.matches(reply.presented) else { return entry }
        let head = reply.response.headers
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
        guard let (confirmed, isKept) = freshened(entry, by: reply), isKept else { return nil }
        return confirmed
    }
}

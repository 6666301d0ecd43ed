import PledgeHTTPNetworking

extension CacheRules {
    /// The conditional request for a stored response (RFC 9111, section 4.3.1).
    ///
    /// It carries all validators that the response has, with their bytes, except those that no request may
    /// hold; with none it is the request itself.
    func validation(of entry: CachedResponse, for request: HTTPRequest) -> HTTPRequest {
        var request = request
        if EntityTag(of: entry.headers) != nil {
            request.setCondition("If-None-Match", by: "ETag", of: entry)
        }
        if lastModified(entry.headers) != nil {
            request.setCondition("If-Modified-Since", by: "Last-Modified", of: entry)
        }
        return request
    }

    /// Whether a 304 refers to a stored response (RFC 9111, section 4.3.4).
    ///
    /// - Parameters:
    ///   - fresh: The headers of the 304.
    ///   - entry: The stored response.
    ///   - isOwn: Whether the 304 answers a request with this response's validators only, so that a 304
    ///     without a validator cannot refer to another response.
    func confirms(_ fresh: HTTPHeaders, _ entry: CachedResponse, isOwn: Bool) -> Bool {
        if fresh["ETag"] != nil {
            guard let tag = EntityTag(of: fresh), let stored = EntityTag(of: entry.headers) else {
                return false
            }
            return tag.isWeak ? tag.matchesWeakly(stored) : tag.matchesStrongly(stored)
        }
        if fresh["Last-Modified"] != nil {
            return lastModified(fresh) == lastModified(entry.headers)
        }
        return isOwn
    }

    /// A stored response as a 304 has confirmed it, and whether it may still be stored.
    ///
    /// - Returns: Nil if it answers no request any more.
    func freshened(
        _ entry: CachedResponse, by reply: OriginReply
    ) -> (entry: CachedResponse, isKept: Bool)? {
        let headers = StoredFields.update(entry.headers, by: reply.response.headers, mode: mode)
        let stored = HTTPResponse(status: entry.status, body: entry.body, url: entry.url)
        guard
            var updated = self.entry(status: entry.status, headers, like: stored, reply)
        else { return nil }
        updated.isRefused = entry.isRefused
        let isKept =
            mayStore(status: entry.status, headers, reply.presented)
            && !StoredFields.areVital(
                StoredFields.connectionFields(reply.response.headers))
        return (updated, isKept)
    }

    private func lastModified(_ headers: HTTPHeaders) -> String? {
        let values = Set(headers.values(for: "Last-Modified"))
        return values.count == 1 ? values.first : nil
    }
}

extension HTTPRequest {
    fileprivate mutating func setCondition(
        _ condition: String, by validator: String, of entry: CachedResponse
    ) {
        guard let bytes = entry.headers.received(validator).first?.returnable else { return }
        headers.set(bytes: bytes, for: condition)
    }
}

/// An entity tag as ETag, If-None-Match and If-Range hold it (RFC 9110, section 8.8.3).
///
/// A text without quotation marks is accepted as a tag, because servers send such ones.
struct EntityTag: Hashable, Sendable {
    let isWeak: Bool
    /// With its quotation marks, if it has some.
    let opaque: String

    /// The only tag of a field; nil if there is none.
    init?(_ text: String) {
        isWeak = text.hasPrefix("W/")
        opaque = HTTPHeaders.trimmed(isWeak ? text.dropFirst(2) : text[...])
        if opaque.isEmpty { return nil }
    }

    /// The tag of a response; nil if it has none, or several that differ.
    init?(of headers: HTTPHeaders) {
        let all = Set(headers.values(for: "ETag"))
        guard all.count == 1, let text = all.first else { return nil }
        self.init(text)
    }

    /// The strong comparison (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The weak comparison.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// The tags of If-None-Match; commas within quotation marks are part of a tag.
    static func list(_ value: String) -> [EntityTag] {
        var parts: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        for index in value.indices {
            if value[index] == "\"" { isQuoted.toggle() }
            if value[index] == ",", !isQuoted {
                parts.append(value[start..<index])
                start = value.index(after: index)
            }
        }
        parts.append(value[start...])
        return parts.compactMap { EntityTag(HTTPHeaders.trimmed($0)) }
    }
}

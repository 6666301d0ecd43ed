import PledgeHTTPMessages

extension CacheRules {
    /// Returns the request with a stored response's validators as conditions (RFC 9111, section 4.3.1).
    ///
    /// They are sent byte for byte; one that a header can't hold is left out.
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

    /// Returns the request that asks which of several variants the origin would send (RFC 9111, section 4.3.1).
    ///
    /// Its If-None-Match lists each of the variants' tags once, byte for byte.
    func choice(among variants: [CachedResponse], for request: HTTPRequest) -> HTTPRequest {
        var request = request
        var tags: [[UInt8]] = []
        for case let tag? in variants.map(\.listedTag) where !tags.contains(tag) {
            tags.append(tag)
        }
        request.headers.set(
            bytes: Array(tags.joined(separator: Array(", ".utf8))), for: "If-None-Match")
        return request
    }

    /// Returns the variant that a 304 has chosen, updated by it (RFC 9111, section 4.3.4).
    ///
    /// From then on, it answers the request's own variant.
    ///
    /// - Returns: Nil if the 304 names none of the offered variants. Without a tag, it names the only one.
    func chosen(by reply: OriginReply) -> (entry: CachedResponse, isKept: Bool)? {
        let (fresh, offered) = (reply.response.headers, reply.offered)
        guard reply.response.status == 304, fresh["ETag"] != nil || offered.count == 1 else {
            return nil
        }
        return offered.first { confirms(fresh, $0, isOwn: true) }
            .flatMap { freshened($0, by: reply) }
    }

    /// Returns whether a 304 is about a stored response (RFC 9111, section 4.3.4).
    ///
    /// - Parameters:
    ///   - fresh: The headers of the 304.
    ///   - entry: The stored response.
    ///   - isOwn: True if the request had only this response's validators, so that a 304 without a validator is about
    ///     it.
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

    /// Returns a stored response with a reply's updates, and whether it may stay stored.
    ///
    /// - Returns: Nil if the updated response answers no request.
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

/// An entity tag (RFC 9110, section 8.8.3).
///
/// Tags without quotation marks are accepted, because some servers send them.
struct EntityTag: Hashable, Sendable {
    let isWeak: Bool
    /// The tag with its quotation marks, without "W/".
    let opaque: String

    /// Returns nil for an empty text.
    init?(_ text: String) {
        isWeak = text.hasPrefix("W/")
        opaque = HTTPHeaders.trimmed(isWeak ? text.dropFirst(2) : text[...])
        if opaque.isEmpty { return nil }
    }

    /// Returns nil if the response has no tag, or several that differ.
    init?(of headers: HTTPHeaders) {
        let all = Set(headers.values(for: "ETag"))
        guard all.count == 1, let text = all.first else { return nil }
        self.init(text)
    }

    /// The strong comparison (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// The tags of an If-None-Match; a comma within quotation marks is part of a tag.
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

import PledgeHTTPMessages

extension CacheRules {
    /// Returns the request that asks the origin to confirm a stored response (RFC 9111, section 4.3.1).
    ///
    /// The request gets the stored response's validators, byte for byte, as conditions. A validator that a request must
    /// not hold is left out. If none is left, the request is returned unchanged.
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

    /// Returns the request that asks the origin which of several variants it would send (RFC 9111, section 4.3.1).
    ///
    /// Its If-None-Match lists the tags of the variants, byte for byte, each of them once.
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

    /// Returns the variant that a 304 has chosen among the offered ones, with its updates (RFC 9111, section 4.3.4).
    ///
    /// It answers the request's own variant from then on.
    ///
    /// - Returns: Nil if the 304 names none of them. A 304 without a tag names the only one.
    func chosen(by reply: OriginReply) -> (entry: CachedResponse, isKept: Bool)? {
        let (fresh, offered) = (reply.response.headers, reply.offered)
        guard reply.response.status == 304, fresh["ETag"] != nil || offered.count == 1 else {
            return nil
        }
        return offered.first { confirms(fresh, $0, isOwn: true) }
            .flatMap { freshened($0, by: reply) }
    }

    /// Returns whether a 304 refers to a stored response (RFC 9111, section 4.3.4).
    ///
    /// - Parameters:
    ///   - fresh: The headers of the 304.
    ///   - entry: The stored response.
    ///   - isOwn: True if the request had only this response's validators. A 304 without a validator then refers to
    ///     this response.
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

    /// Returns a stored response with a reply's updates, and whether it may stay in the store.
    ///
    /// - Returns: Nil if the updated response doesn't answer any request.
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

/// An entity tag of ETag, If-None-Match or If-Range (RFC 9110, section 8.8.3).
///
/// A tag without quotation marks is accepted too, because some servers send one.
struct EntityTag: Hashable, Sendable {
    let isWeak: Bool
    /// The tag with its quotation marks, if it has them, and without "W/".
    let opaque: String

    /// Reads the text of one tag; nil if it's empty.
    init?(_ text: String) {
        isWeak = text.hasPrefix("W/")
        opaque = HTTPHeaders.trimmed(isWeak ? text.dropFirst(2) : text[...])
        if opaque.isEmpty { return nil }
    }

    /// Reads a response's tag; nil if there is none, or if several differ.
    init?(of headers: HTTPHeaders) {
        let all = Set(headers.values(for: "ETag"))
        guard all.count == 1, let text = all.first else { return nil }
        self.init(text)
    }

    /// Returns whether two tags match by the strong comparison (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Returns whether two tags match by the weak comparison.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Returns the tags of an If-None-Match; a comma within quotation marks is part of a tag.
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

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

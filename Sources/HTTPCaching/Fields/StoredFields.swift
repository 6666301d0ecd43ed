import PledgeHTTPNetworking

/// The fields of a response that are stored, and those that a 304 updates.
enum StoredFields {
    /// Whether a cache cannot decide about a response without one of these fields.
    static func areVital(_ names: Set<String>) -> Bool { !names.isDisjoint(with: vital) }

    /// The fields, in lower case, that concern one connection only.
    static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        let listed = headers.values(for: "Connection").joined(separator: ",").split(separator: ",")
        return Set(listed.map { HTTPHeaders.trimmed($0).lowercased() })
    }

    /// The headers that may be stored (RFC 9111, section 3.1), without Age, which is stored separately.
    static func storable(_ headers: HTTPHeaders, mode: HTTPCache.Mode) -> HTTPHeaders {
        var left = headers
        let control = CacheControl(headers)
        var unwanted = connectionFields(headers).union(hopByHop)
        unwanted.formUnion(control.fieldNames("no-cache").map { areVital($0) ? [] : $0 } ?? [])
        if mode == .shared { unwanted.formUnion(control.fieldNames("private") ?? []) }
        for name in unwanted { left.remove(name) }
        return left
    }

    /// Stored headers, updated by a 304 (RFC 9111, section 3.2).
    ///
    /// Fields that describe the bytes of the stored body do not change: a layer beneath may have decoded
    /// them.
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

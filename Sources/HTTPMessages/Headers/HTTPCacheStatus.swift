/// How a cache has answered a request, in the terms of RFC 9211.
///
/// ```swift
/// switch response.cacheStatus {
/// case .hit?, .stale?: print("from the cache")
/// case .revalidated?: print("from the cache; the server has confirmed it")
/// case .collapsed?, .miss?: print("from the server")
/// case nil: print("no cache was asked")
/// }
/// ```
public enum HTTPCacheStatus: Hashable, Sendable {
    /// The stored response, which was fresh.
    case hit
    /// The stored response, which was stale, without the server's confirmation.
    case stale
    /// The stored response, which the server has confirmed.
    case revalidated
    /// The server's answer to an equal request that was already in flight.
    case collapsed
    /// The server's answer.
    case miss(Reason)

    /// The reason for asking the server.
    public enum Reason: String, CaseIterable, Sendable {
        /// The cache was told not to handle the request.
        case bypass
        /// The request's method isn't GET or HEAD.
        case method
        /// Nothing was stored for the URL.
        case uriMiss = "uri-miss"
        /// Responses were stored for the URL, but none for the request's headers or users.
        case varyMiss = "vary-miss"
        /// Nothing that was stored fits the request.
        case miss
        /// A fresh response was stored, but the request doesn't accept it.
        case request
        /// The stored response was stale.
        case stale
        /// Only a part of the response was stored.
        case partial
    }
}

extension HTTPResponse {
    /// How the nearest cache has answered the request; nil if no cache has said so.
    ///
    /// If the request passed an `HTTPCache`, this is what that cache did. Otherwise it is what the last member of the
    /// field Cache-Status says, such as a CDN's. `==` ignores it, and caches don't store it. It is nil for a 504 that a
    /// cache makes up because the request has only-if-cached.
    public var cacheStatus: HTTPCacheStatus? {
        nearestCacheStatus ?? headers["Cache-Status"].flatMap(HTTPCacheStatus.init(field:))
    }
}

extension HTTPCacheStatus {
    /// Reads the last member of a Cache-Status field (RFC 9211, section 2); nil if it says neither hit nor fwd.
    ///
    /// An unknown reason counts as ``Reason/miss``.
    init?(field: String) {
        var reader = FieldReader(field)
        var values: [String: String] = [:]
        repeat {
            values = [:]
            reader.skipSpaces()
            if reader.quotedString() == nil { reader.skip { !";,".utf8.contains($0) } }
            while let (name, value, _) = reader.parameter() {
                // A parameter without a value is true.
                values[name] = value?.lowercased() ?? "?1"
            }
            reader.endMember()
        } while reader.skip(",")
        if values["hit"] == "?1" {
            self = values["ttl"].flatMap { Int64($0) }.map { $0 < 0 } ?? false ? .stale : .hit
            return
        }
        guard let reason = values["fwd"] else { return nil }
        if values["collapsed"] == "?1" {
            self = .collapsed
        } else if values["fwd-status"] == "304" {
            self = .revalidated
        } else {
            self = .miss(Reason(rawValue: reason) ?? .miss)
        }
    }
}

import PledgeHTTPNetworking

/// The properties of a request that a cache uses.
struct PresentedRequest: Sendable {
    let request: HTTPRequest
    let key: CacheKey
    let method: HTTPMethod
    let headers: HTTPHeaders
    let control: CacheControl
    let partition: CachePartition

    init(
        _ request: HTTPRequest, _ key: CacheKey, by rules: CacheRules = CacheRules(mode: .private)
    ) {
        self.request = request
        self.key = key
        method = request.method
        headers = request.effectiveHeaders
        control = CacheControl(headers)
        partition = CachePartition(of: request, by: rules)
    }

    /// Whether a response is the answer to credentials that were added to it beneath the cache.
    func isForeign(_ response: HTTPResponse, by rules: CacheRules) -> Bool {
        guard let sent = response.request else { return false }
        return !CachePartition(of: sent, by: rules).isPart(of: partition)
    }

    /// The holders of its credentials' values.
    var holders: Set<Principal> { partition.holders(in: headers) }

    /// Whether no stored response may be used before the origin has confirmed it.
    ///
    /// Without Cache-Control, Pragma counts: the field of HTTP/1.0 for this.
    var mustValidate: Bool {
        if control.isPresent { return control.contains("no-cache") || control.isMalformed }
        let pragma = headers["Pragma"]?.lowercased() ?? ""
        return pragma.split(separator: ",").contains { HTTPHeaders.trimmed($0) == "no-cache" }
    }

    var forbidsStoring: Bool { control.contains("no-store") }
    var onlyIfCached: Bool { control.contains("only-if-cached") }

    /// Whether the request has conditions or a range.
    var isConditional: Bool { Self.conditions.contains { headers[$0] != nil } }

    /// Whether only the origin may evaluate the request's conditions (RFC 9111, section 4.3.2).
    var isForOrigin: Bool {
        headers["If-Match"] != nil || headers["If-Unmodified-Since"] != nil
    }

    /// Whether a response to it describes a part or a version, and not the whole resource.
    var asksForLess: Bool { headers["Range"] != nil || isForOrigin }

    /// Whether it may wait for the answer to an equal request.
    var mayCollapse: Bool {
        method == .get && !isConditional && !forbidsStoring && !mustValidate
    }

    private static let conditions = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
        "Range",
    ]
}

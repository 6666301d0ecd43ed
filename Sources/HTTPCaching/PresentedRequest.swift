import PledgeHTTPMessages

/// What a cache needs to know of a request.
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

    /// Returns whether a layer below the cache added credentials before the request was sent.
    func isForeign(_ response: HTTPResponse, by rules: CacheRules) -> Bool {
        guard let sent = response.request else { return false }
        return !CachePartition(of: sent, by: rules).isPart(of: partition)
    }

    func value(of header: String) -> CacheVariant.Value {
        if CachePartition.secrets.contains(header) {
            return partition.holder(of: header, in: headers).map { .holder($0) } ?? .none
        }
        return CacheVariant.value(of: header, in: headers).map { .text($0) } ?? .none
    }

    /// True if one of the users has signed out, or an account that the app has named.
    var isOver: Bool { partition.isOver || request.context.signIns.isOver }

    /// Who holds the current values of the headers that identify the users.
    var holders: Set<CachePartition.Member> { partition.holders(in: headers) }

    /// True if the origin must confirm a stored response before it's used.
    ///
    /// Pragma, of HTTP/1.0, counts only without a Cache-Control.
    var mustValidate: Bool {
        if control.isPresent { return control.contains("no-cache") || control.isMalformed }
        let pragma = headers["Pragma"]?.lowercased() ?? ""
        return pragma.split(separator: ",").contains { HTTPHeaders.trimmed($0) == "no-cache" }
    }

    var forbidsStoring: Bool { control.contains("no-store") }
    var onlyIfCached: Bool { control.contains("only-if-cached") }

    var isConditional: Bool { Self.conditions.contains { headers[$0] != nil } }

    /// True if only the origin can evaluate the request's conditions (RFC 9111, section 4.3.2).
    var isForOrigin: Bool {
        headers["If-Match"] != nil || headers["If-Unmodified-Since"] != nil
    }

    /// True if the request asks for a part, or for a certain version.
    var asksForLess: Bool { headers["Range"] != nil || isForOrigin }

    /// True if the request may wait for the answer to an equal one.
    var mayCollapse: Bool {
        method == .get && !isConditional && !forbidsStoring && !mustValidate
    }

    private static let conditions = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
        "Range",
    ]
}

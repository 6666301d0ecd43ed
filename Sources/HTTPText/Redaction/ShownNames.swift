/// The names whose values logs and descriptions show.
///
/// All other values are hidden, because a list of secret names would be incomplete.
package enum ShownNames {
    /// Headers, in lower case.
    package static let headers: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age",
        "allow", "cache-control", "connection", "content-encoding", "content-language",
        "content-length", "content-range", "content-type", "date", "etag", "expires",
        "grpc-timeout", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "last-modified", "link", "pragma", "range", "ratelimit",
        "ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset",
        "request-criticality", "request-timeout", "retry-after", "server", "traceparent",
        "transfer-encoding", "user-agent", "vary", "x-envoy-expected-rq-timeout-ms",
        "x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
        "x-ratelimit-resource", "x-ratelimit-used", "x-request-id",
    ]

    /// Items of a URL's query that are shown if their value is a number, in lower case.
    private static let numbers: Set<String> = [
        "first", "last", "limit", "offset", "page", "page_size", "pagesize", "per_page", "perpage",
        "v", "version",
    ]

    /// Items of a URL's query that are shown if their value is a short word, or several with commas, in lower case.
    private static let words: Set<String> = [
        "direction", "fields", "format", "lang", "locale", "order", "order_by", "sort", "sort_by",
    ]

    /// Returns whether the value of an item of a URL's query is shown.
    static func showsQueryItem(_ name: Substring, _ value: Substring) -> Bool {
        let (name, value) = (name.lowercased(), value.utf8)
        if numbers.contains(name) { return value.count <= 10 && value.allSatisfy(\.isDigit) }
        return words.contains(name) && value.count <= 32
            && value.allSatisfy { $0.isLetterOrDigit || "-_.,".utf8.contains($0) }
    }
}

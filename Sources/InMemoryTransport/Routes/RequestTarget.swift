import PledgeHTTPNetworking

/// The target of an endpoint, parsed from the URL that a wire transport would send.
struct RequestTarget {
    let method: HTTPMethod
    let segments: [String]
    let query: [(name: String, value: String?)]

    /// Parses an endpoint; throws the error with which a wire transport would refuse it.
    init(of endpoint: Endpoint) throws(Endpoint.Error) {
        method = endpoint.method
        let whole = try Endpoint.based(on: Endpoint.anyBase)(endpoint).validate()
        var alone = endpoint
        // Routes have the app's paths, without the path of a base.
        if !endpoint.path.isEmpty { alone.base = Endpoint.anyBase }
        let parts = AbsoluteURL(whole)
        let ownParts = alone.url.flatMap(AbsoluteURL.init)
        segments = Self.segments(of: ownParts?.path ?? "")
        query = Self.items(of: parts?.query)
    }

    /// Parses a request; throws the error with which a wire transport would refuse it.
    ///
    /// - Parameter base: The URL whose path is not part of the routes.
    init(of request: HTTPRequest, under base: URL?) throws(Endpoint.Error) {
        try request.validate()
        method = request.method
        let parts = AbsoluteURL(request.url)
        let all = Self.segments(of: parts?.path ?? "")
        let above = Self.segments(of: base.flatMap(AbsoluteURL.init)?.path ?? "")
            .filter { !$0.isEmpty }
        segments = all.starts(with: above) ? Array(all.dropFirst(above.count)) : all
        query = Self.items(of: parts?.query)
    }

    private static func items(of query: Substring?) -> [(name: String, value: String?)] {
        (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// The decoded segments of a path; a leading slash is ignored.
    static func segments(of path: Substring) -> [String] {
        let relative = path.hasPrefix("/") ? path.dropFirst() : path
        return relative.split(separator: "/", omittingEmptySubsequences: false).map(decoded)
    }

    /// A decoded part of a URL; unchanged if its bytes are not UTF-8.
    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decode(text) ?? String(text)
    }
}

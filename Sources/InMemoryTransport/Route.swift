public import PledgeHTTPMessages
import PledgeHTTPText

extension MemoryTransport {
    /// The method, the path pattern and the query items that a call must match, and the answer.
    ///
    /// In a pattern, a segment such as ":id" matches any segment that is not empty. The call gets the segment's value
    /// as the parameter `id`. Everything else must be equal after percent-decoding. A leading slash is ignored; a
    /// trailing slash adds an empty segment.
    ///
    /// A route matches the endpoint's own path, without the path of the endpoint's base. If the endpoint has no path of
    /// its own, the route matches the path and the query of the endpoint's base.
    public struct Route: Sendable {
        /// The method to match; nil matches any.
        package let method: HTTPMethod?

        /// The pattern of the path, such as "/products/:id".
        package let pattern: String

        /// The query items that a call must have: each name with its value, or with nil for any value.
        ///
        /// A call may have more items.
        package let query: [String: String?]

        /// The answer to the calls that match.
        package let answer: Answer

        /// Creates a route.
        ///
        /// - Parameters:
        ///   - method: The method to match; nil matches any.
        ///   - pattern: The pattern of the path, such as "/products/:id".
        ///   - query: The query items that a call must have; nil allows any value.
        ///   - answer: The answer to the calls that match.
        public init(
            _ method: HTTPMethod?,
            _ pattern: String,
            query: [String: String?] = [:],
            answer: Answer
        ) {
            self.method = method
            self.pattern = pattern
            self.query = query
            self.answer = answer
        }
    }
}

extension MemoryTransport.Route {
    /// A route for every method.
    public static func any(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(nil, pattern, query: query, answer: answer) }

    /// A route for GET.
    public static func get(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.get, pattern, query: query, answer: answer) }

    /// A route for HEAD.
    public static func head(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.head, pattern, query: query, answer: answer) }

    /// A route for POST.
    public static func post(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.post, pattern, query: query, answer: answer) }

    /// A route for PUT.
    public static func put(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.put, pattern, query: query, answer: answer) }

    /// A route for PATCH.
    public static func patch(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.patch, pattern, query: query, answer: answer) }

    /// A route for DELETE.
    public static func delete(
        _ pattern: String,
        query: [String: String?] = [:],
        answer: MemoryTransport.Answer
    ) -> Self { Self(.delete, pattern, query: query, answer: answer) }
}

extension MemoryTransport.Route {
    /// The method, the pattern and the query, like "GET /search?page=2"; "*" stands for any.
    package var name: String {
        let items = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "*")" }
        let place = pattern.utf8.starts(with: "/".utf8) ? pattern : "/\(pattern)"
        let text = "\(method?.rawValue ?? "*") \(place)"
        return items.isEmpty ? text : "\(text)?\(items.joined(separator: "&"))"
    }
}

extension MemoryTransport.Route {
    /// The values of the route's parameters; nil if the target doesn't match.
    func parameters(matching asked: RequestTarget) -> [String: String]? {
        guard differences(from: asked).isEmpty else { return nil }
        return zip(segments, asked.segments).reduce(into: [:]) { parameters, pair in
            if let name = Self.parameter(of: pair.0) { parameters[name] = pair.1 }
        }
    }

    /// How a target differs from this route, in words; empty if it matches.
    func differences(from asked: RequestTarget) -> [String] {
        var differences: [String] = []
        if let method, method != asked.method {
            differences.append("the method is not \(method)")
        }
        differences += pathDifferences(from: asked)
        for (name, value) in query.sorted(by: { $0.key < $1.key }) {
            let values = asked.query.filter { Self.areSame($0.name, name) }.map(\.value)
            if values.isEmpty {
                differences.append("the query has no \(Self.quoted(name))")
            } else if let value, !values.contains(where: { Self.areSame($0 ?? "", value) }) {
                differences.append(
                    "the query's \(Self.quoted(name)) is not \(Self.quoted(value))"
                )
            }
        }
        return differences
    }

    /// How far a target is from this route: first how the paths differ, and then everything.
    ///
    /// A route whose path matches is nearer than any other, even if the call lacks several query items.
    func distance(to asked: RequestTarget) -> (inPath: Int, inAll: Int) {
        (pathDifferences(from: asked).count, differences(from: asked).count)
    }

    private func pathDifferences(from asked: RequestTarget) -> [String] {
        var differences: [String] = []
        let own = segments
        if own.count != asked.segments.count {
            differences.append(
                "the path has \(asked.segments.count) segments, not \(own.count)"
            )
        }
        for (index, (mine, theirs)) in zip(own, asked.segments).enumerated()
        where !Self.matches(mine, theirs) {
            let wanted = Self.parameter(of: mine).map { "a value for \($0)" } ?? Self.quoted(mine)
            differences.append("segment \(index + 1) is \(Self.quoted(theirs)), not \(wanted)")
        }
        return differences
    }

    private var segments: [String] {
        let path = pattern.utf8.starts(with: "/".utf8) ? String(pattern.dropFirst()) : pattern
        return path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// The parameter's name in a pattern's segment; nil if it's no parameter.
    private static func parameter(of segment: String) -> String? {
        segment.hasPrefix(":") && segment.count > 1 ? String(segment.dropFirst()) : nil
    }

    private static func matches(_ pattern: String, _ segment: String) -> Bool {
        parameter(of: pattern) == nil ? areSame(pattern, segment) : !segment.isEmpty
    }

    /// Compares bytes, because `==` of `String` treats composed and decomposed letters as equal.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private static func quoted(_ text: String) -> String { text.debugDescription }
}

/// A call's target, from the URL that a real transport would send.
struct RequestTarget {
    let method: HTTPMethod
    let segments: [String]
    let query: [(name: String, value: String?)]

    /// Throws the same error as a real transport if the endpoint can't be sent.
    init(of endpoint: Endpoint) throws(Endpoint.Error) {
        method = endpoint.method
        let whole = try Endpoint.based(on: Endpoint.anyBase)(endpoint).validate()
        var alone = endpoint
        // Routes match the endpoint's own path, so its base is replaced by one without a path, unless the endpoint has
        // no path of its own.
        if !endpoint.path.isEmpty { alone.base = Endpoint.anyBase }
        let parts = AbsoluteURL(whole)
        let ownParts = alone.url.flatMap(AbsoluteURL.init)
        segments = Self.segments(of: ownParts?.path ?? "")
        query = Self.items(of: parts?.query)
    }

    /// Throws the same error as a real transport if the request can't be sent.
    ///
    /// - Parameter base: The URL whose path the routes leave out.
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

    /// The decoded segments; a leading slash is ignored.
    static func segments(of path: Substring) -> [String] {
        let relative = path.hasPrefix("/") ? path.dropFirst() : path
        return relative.split(separator: "/", omittingEmptySubsequences: false).map(decoded)
    }

    /// The decoded text; unchanged if its bytes aren't UTF-8.
    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decode(text) ?? String(text)
    }
}

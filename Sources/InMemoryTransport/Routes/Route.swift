public import PledgeHTTPNetworking

extension MemoryTransport {
    /// A route: a method, a path's pattern, required items of the query, and the answer.
    ///
    /// A pattern is a path in which a segment like ":id" matches any segment that is not empty, and is the
    /// parameter `id` of the call. Everything else is compared exactly, after decoding; a leading slash is
    /// ignored, and a trailing one is a further segment. An endpoint is matched by its own path, without its
    /// base's path; without a path, by the path and the query of its base.
    public struct Route {
        /// The method, or nil for any.
        public let method: HTTPMethod?

        /// The path's pattern.
        public let pattern: String

        /// The required items of the query: each name with its value, or nil for any value.
        ///
        /// Further items do not matter.
        public let query: [String: String?]

        /// What is answered.
        public let answer: Answer

        /// Makes a route.
        ///
        /// - Parameters:
        ///   - method: The method, or nil for any.
        ///   - pattern: The path's pattern, such as "/products/:id".
        ///   - query: The required items of the query; nil allows any value.
        ///   - answer: The answer.
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
    /// A route for any method.
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

extension MemoryTransport.Route: CustomStringConvertible {
    /// The method, the pattern and the query, like "GET /search?page=2"; "*" stands for any.
    public var description: String {
        let items = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "*")" }
        let place = pattern.utf8.starts(with: "/".utf8) ? pattern : "/\(pattern)"
        let text = "\(method?.rawValue ?? "*") \(place)"
        return items.isEmpty ? text : "\(text)?\(items.joined(separator: "&"))"
    }
}

extension MemoryTransport.Route: Sendable {}

extension Endpoint {
    /// Makes an endpoint from a path in a variable.
    ///
    /// The whole text is a path, "?", "#" and "%" included. To parse a text like a literal, with a query, use
    /// ``Path/verbatim(_:)``.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; "/" separates its segments.
    ///   - queryItems: The query's items, not encoded, in order.
    ///   - method: The method.
    ///   - headers: The headers. A body adds its Content-Type if they have none.
    ///   - body: The body.
    ///   - base: The absolute http or https URL that the path is appended to. Without one,
    ///     ``url`` is nil.
    @_disfavoredOverload public init<S: StringProtocol>(
        path: S, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil
    ) {
        self.init(
            path: Path(allOf: path), queryItems: queryItems, method: method, headers: headers,
            body: body, base: base)
    }

    // A literal with a value that no path accepts, such as an optional, would match a String, and so the
    // initializer above. It matches this one better, whose literal then has a value that is not available. A
    // literal that a path accepts matches that better: its initializer has one parameter less.

    /// Refuses a literal if its value is an optional, or not a text, number, Bool or UUID.
    public init(
        path: RefusedPath, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil, _refused: Void = ()
    ) { self.init(path: .verbatim("//")) }

    /// A literal with a value that no path accepts.
    ///
    /// No endpoint is made from it: see ``Path`` for the types of values.
    public struct RefusedPath: ExpressibleByStringInterpolation {
        /// Reads a literal; it is never called.
        public init(stringLiteral: String) {}

        /// Reads a literal; it is never called.
        public init(stringInterpolation: StringInterpolation) {}

        /// The parts of a literal, whose values do not compile.
        public struct StringInterpolation: StringInterpolationProtocol {
            /// Makes an empty one; it is never called.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Appends structure; it is never called.
            public mutating func appendLiteral(_ literal: String) {}

            /// Not available: the text of an optional would be "nil" or "Optional(7)".
            @available(
                *, unavailable,
                message:
                    "a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default"
            )
            public mutating func appendInterpolation<Value>(_ value: Value) {}
        }
    }
}

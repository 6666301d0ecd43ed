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
    // initializer above. It matches these two better, which makes it ambiguous, so it does not compile. A
    // literal that a path accepts matches that better: its initializer has one parameter less.

    /// Makes a literal ambiguous if its value is an optional, or not a text, number, Bool or UUID.
    public init(
        path: RefusedPath<Int>, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil,
        _optionalsAndOtherTypesAreNoValuesOfAPath: Void = ()
    ) { self.init(path: .verbatim("//")) }

    /// Makes a literal ambiguous if its value is an optional, or not a text, number, Bool or UUID.
    public init(
        path: RefusedPath<Bool>, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil,
        _optionalsAndOtherTypesAreNoValuesOfAPath: Void = ()
    ) { self.init(path: .verbatim("//")) }

    /// A literal with a value that no path accepts.
    ///
    /// No endpoint is made from it: see ``Path`` for the types of values.
    public struct RefusedPath<Tag>: ExpressibleByStringInterpolation {
        /// Reads a literal; it is never called.
        public init(stringLiteral: String) {}
    }
}

extension Endpoint {
    /// Makes an endpoint of a path that is held in a variable.
    ///
    /// All of the text is a path, "?", "#" and "%" included. A text that is to be read as a literal,
    /// with a query, is ``Path/verbatim(_:)``.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; "/" separates its segments.
    ///   - queryItems: The query's items, not encoded, in order.
    ///   - method: The method.
    ///   - headers: The headers. A body brings its own Content-Type where they name none.
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

    // A literal with a value that no path takes, an optional for one, would fit a String, and so the
    // initializer above. It fits these two better, which makes it ambiguous: it does not compile.

    /// Makes a literal ambiguous whose value is an optional, or no text, number, Bool or UUID.
    public init(
        path: RefusedPath<Int>?, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil,
        _optionalsAndOtherTypesAreNoValuesOfAPath: Void = ()
    ) { self.init(path: .verbatim("//")) }

    /// Makes a literal ambiguous whose value is an optional, or no text, number, Bool or UUID.
    public init(
        path: RefusedPath<Bool>?, queryItems: [URLQueryItem] = [], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: Body = .none, base: URL? = nil,
        _optionalsAndOtherTypesAreNoValuesOfAPath: Void = ()
    ) { self.init(path: .verbatim("//")) }

    /// A literal with a value that no path takes.
    ///
    /// No endpoint is made of it: see ``Path`` for what a value may be.
    public struct RefusedPath<Tag>: ExpressibleByStringInterpolation {
        /// Reads a literal; it is never called.
        public init(stringLiteral: String) {}
    }
}

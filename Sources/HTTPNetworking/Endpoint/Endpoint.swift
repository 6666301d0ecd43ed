/// What an app asks for: a path, a query, a method, headers, a body, and where it all begins.
///
/// ```swift
/// extension Endpoint {
///     static func product(withID id: Product.ID) -> Endpoint {
///         Endpoint(path: "/products/\(id)")
///     }
/// }
/// ```
///
/// In a literal, text is structure and an interpolated value is data, which never leaves its segment
/// or its value of the query; see ``Path``. A path that is a variable is a path and nothing else.
/// Two endpoints are equal where the same bytes would be sent: text is compared code unit by code
/// unit, header names without regard to case.
public struct Endpoint {
    /// The path and the query that its initializer was given.
    private(set) var pathAndQuery: Path

    /// The path, decoded, without a query; "/" separates its segments.
    ///
    /// A slash that is not a separator reads as "%2F". An assigned path is not encoded, and leaves
    /// the query unchanged. With or without a leading slash it is appended to the path of ``base``.
    public var path: String {
        get { pathAndQuery.decodedPath }
        set { pathAndQuery = pathAndQuery.replacingPath(with: newValue) }
    }

    /// The items that are appended to the path's query, not encoded, in order.
    ///
    /// An item without a value is sent as its bare name.
    public var queryItems: [URLQueryItem]

    /// The method.
    public var method: HTTPMethod

    /// The headers that the app sets.
    ///
    /// See ``effectiveHeaders`` for what is sent.
    public var headers: HTTPHeaders

    /// The body.
    public var body: Body

    /// The URL that the path and the query are appended to.
    ///
    /// Its own path and query stay as they are; its fragment is dropped.
    public var base: URL?

    /// Makes an endpoint of a literal.
    ///
    /// - Parameters:
    ///   - path: The path and a query: literal text is structure, values are data; see ``Path``.
    ///   - queryItems: Items that are appended to the query, not encoded, in order.
    ///   - method: The method.
    ///   - headers: The headers. A body brings its own Content-Type where they name none.
    ///   - body: The body.
    ///   - base: The absolute http or https URL that the path is appended to. Without one,
    ///     ``url`` is nil.
    public init(
        path: Path,
        queryItems: [URLQueryItem] = [],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: Body = .none,
        base: URL? = nil
    ) {
        pathAndQuery = path
        self.queryItems = queryItems
        self.method = method
        self.headers = headers
        self.body = body
        self.base = base
    }

    /// Makes an endpoint of a whole URL, which is sent as it is, without its fragment.
    ///
    /// - Parameter url: An absolute http or https URL.
    public init(url: URL) { self.init(path: "", base: url) }

    /// Returns a function that gives a base to each endpoint that has none.
    ///
    /// ```swift
    /// let api = chain(Endpoint.based(on: server), to: URLSession.shared.request)
    /// ```
    ///
    /// An endpoint that was made of a whole URL has one.
    public static func based(on base: URL) -> @Sendable (Endpoint) -> Endpoint {
        { endpoint in
            var endpoint = endpoint
            endpoint.base = endpoint.base ?? base
            return endpoint
        }
    }

    /// The headers that are sent: ``headers``, and the body's Content-Type where they name none.
    public var effectiveHeaders: HTTPHeaders {
        guard let type = body.contentType, headers["Content-Type"] == nil else { return headers }
        var headers = headers
        headers.set(type, for: "Content-Type")
        return headers
    }
}

extension Endpoint: Hashable {
    /// Whether two endpoints would send the same bytes.
    public static func == (left: Endpoint, right: Endpoint) -> Bool {
        left.target == right.target && left.pathAndQuery.isValid == right.pathAndQuery.isValid
            && left.method == right.method && left.headers == right.headers
            && left.body == right.body && left.base == right.base
    }

    /// Feeds the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) {
        target.hash(into: &hasher)
        method.hash(into: &hasher)
        headers.hash(into: &hasher)
        body.hash(into: &hasher)
        base.hash(into: &hasher)
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the place, without userinfo and the query's values, headers, or body.
    ///
    /// Like "GET https://api.example.com/search?q=…".
    public var description: String {
        let place = Path(text: target, isValid: pathAndQuery.isValid)
        let verb = SafeText.escaped(method.rawValue)
        return "\(verb) \(url.map(SafeText.redacted) ?? place.description)"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description, the headers redacted, and what kind of body there is.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "headers": headers, "body": body])
    }
}

extension Endpoint: Sendable {}

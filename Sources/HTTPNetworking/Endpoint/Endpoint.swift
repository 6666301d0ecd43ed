/// A request of an app: a path, a query, a method, headers, a body, and a base.
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
/// or its value of the query; see ``Path``. A path in a variable is only a path.
///
/// Equal endpoints send the same bytes. They are compared part by part: the path with its whole query as one
/// text, the method, the headers, the body, the base. Text is compared code unit by code unit, header names
/// without regard to case. So "/x" under "https://h/v1" and "/v1/x" under "https://h" are not equal, though
/// their URLs are: compare ``url`` for that.
public struct Endpoint {
    /// The path and the query that its initializer was given.
    private(set) var pathAndQuery: Path

    /// The path, decoded, without a query; "/" separates its segments.
    ///
    /// A slash that is not a separator reads as "%2F". An assigned path is not encoded, so a path that was read
    /// and has "%2F" changes if it is assigned: put what comes before all paths into ``base``. Assigning leaves
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
    /// See ``effectiveHeaders`` for the sent headers.
    public var headers: HTTPHeaders

    /// The body.
    public var body: Body

    /// The URL that the path and the query are appended to.
    ///
    /// Its own path and query are kept; its fragment is removed.
    public var base: URL?

    /// Properties of the call that are not sent as such: its limits of time, whether it is repeated, its idempotency key.
    public var context = HTTPRequest.Context()

    /// Makes an endpoint from a literal.
    ///
    /// - Parameters:
    ///   - path: The path and a query: literal text is structure, values are data; see ``Path``.
    ///   - queryItems: Items that are appended to the query, not encoded, in order.
    ///   - method: The method.
    ///   - headers: The headers. A body adds its Content-Type if they have none.
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

    /// Makes an endpoint from a whole URL, which is sent unchanged, without its fragment.
    ///
    /// - Parameter url: An absolute http or https URL.
    public init(url: URL) { self.init(path: "", base: url) }

    /// Makes an endpoint from a whole URL, whose origin is the base, so that ``path`` is the URL's path.
    ///
    /// It sends the same as `init(url:)`, but is not equal to that: an endpoint is compared part by part.
    package init(separating url: URL) {
        self.init(url: url)
        var text = url.absoluteString
        let parts = text.withUTF8 { bytes in
            URLPartOffsets(bytes).map { offsets in
                (
                    origin: String(decoding: bytes[..<offsets.path], as: UTF8.self),
                    target: String(decoding: bytes[offsets.path..<offsets.end], as: UTF8.self)
                )
            }
        }
        guard let parts, parts.target.hasPrefix("/"), let origin = URL(string: parts.origin) else {
            return
        }
        let path = Path.verbatim(parts.target)
        // A literal that would be encoded or refused stays in the base, which is sent unchanged.
        guard path.isValid, path.text == parts.target else { return }
        (base, pathAndQuery) = (origin, path)
    }

    /// Returns a function that sets the base of each endpoint without one.
    ///
    /// ```swift
    /// let api = chain(Endpoint.based(on: server), to: URLSession.shared.request)
    /// ```
    ///
    /// An endpoint that was made from a whole URL has a base.
    public static func based(on base: URL) -> @Sendable (Endpoint) -> Endpoint {
        { endpoint in
            var endpoint = endpoint
            endpoint.base = endpoint.base ?? base
            return endpoint
        }
    }

    /// The headers that are sent: ``headers``, the body's Content-Type if they have none, and the idempotency key of
    /// ``context``, if they have no Idempotency-Key.
    public var effectiveHeaders: HTTPHeaders {
        headers.completed(contentType: body.contentType, idempotencyKey: context.idempotencyKey)
    }
}

extension Endpoint: Hashable {
    /// Whether two endpoints have the same parts, so that they send the same bytes.
    public static func == (left: Endpoint, right: Endpoint) -> Bool {
        left.target == right.target && left.pathAndQuery.isValid == right.pathAndQuery.isValid
            && left.method == right.method && left.headers == right.headers
            && left.body == right.body && left.base == right.base
            && left.context.compared == right.context.compared
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        target.hash(into: &hasher)
        method.hash(into: &hasher)
        headers.hash(into: &hasher)
        body.hash(into: &hasher)
        base.hash(into: &hasher)
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the URL, without userinfo, values of the query, headers, or body.
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

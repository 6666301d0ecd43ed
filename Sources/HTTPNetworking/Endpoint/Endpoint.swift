#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
/// Nothing here is percent-encoded beforehand: ``url`` encodes what must be encoded, so that a
/// server which decodes it reads the same text again. Two endpoints are equal where the same bytes
/// would be sent: text is compared code unit by code unit, header names without regard to case.
public struct Endpoint {
    /// The path, not encoded; "/" separates its segments.
    ///
    /// With or without a leading slash.
    ///
    /// It is appended to the path of ``base``. Where there is no base, an absolute http or https
    /// URL may stand here: it is then the base, read as `URL(string:)` reads it, and the path is
    /// empty.
    public var path: String

    /// The query's items, not encoded, in order.
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

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; "/" separates its segments.
    ///   - queryItems: The query's items, not encoded, in order.
    ///   - method: The method.
    ///   - headers: The headers. A body brings its own Content-Type where they name none.
    ///   - body: The body.
    ///   - base: The absolute http or https URL that the path is appended to. Without one,
    ///     ``url`` is nil unless the path is itself such a URL.
    public init(
        path: String,
        queryItems: [URLQueryItem] = [],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: Body = .none,
        base: URL? = nil
    ) {
        self.path = path
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
    /// An endpoint whose path is itself a URL is left as it is.
    public static func based(on base: URL) -> @Sendable (Endpoint) -> Endpoint {
        { endpoint in
            guard endpoint.base == nil, !AbsoluteURL.isMeant(by: endpoint.path) else {
                return endpoint
            }
            var endpoint = endpoint
            endpoint.base = base
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
        left.path.utf8.elementsEqual(right.path.utf8) && left.method == right.method
            && left.queryItems.elementsEqual(right.queryItems, by: Self.areSame)
            && left.headers == right.headers && left.body == right.body && left.base == right.base
    }

    /// Feeds the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) {
        Array(path.utf8).hash(into: &hasher)
        for item in queryItems {
            Array(item.name.utf8).hash(into: &hasher)
            item.value.map { Array($0.utf8) }.hash(into: &hasher)
        }
        method.hash(into: &hasher)
        headers.hash(into: &hasher)
        body.hash(into: &hasher)
        base.hash(into: &hasher)
    }

    /// Whether two items are the same code units: `==` of String takes composed and decomposed
    /// letters for equal, but they are sent as different bytes.
    private static func areSame(_ left: URLQueryItem, _ right: URLQueryItem) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
            && left.value.map { Array($0.utf8) } == right.value.map { Array($0.utf8) }
    }
}

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the place, without userinfo and the query's values, headers, or body.
    ///
    /// Like "GET https://api.example.com/search?q=…".
    public var description: String {
        let verb = SafeText.escaped(method.rawValue)
        return "\(verb) \(url.map(SafeText.redacted) ?? SafeText.redactedPlace(of: self))"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description, the headers redacted, and what kind of body there is.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "headers": headers, "body": body])
    }
}

extension Endpoint: Sendable {}

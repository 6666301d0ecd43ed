public import PledgeFutures
public import PledgeHTTPText
public import PledgeServices

/// An app's request: a path, a query, a method, headers, a body, and a base.
///
/// ```swift
/// extension Endpoint {
///     static func product(withID id: Product.ID) -> Endpoint {
///         Endpoint(path: "/products/\(id)")
///     }
/// }
/// ```
///
/// In a path's literal, text is structure, and an interpolated value is data that never leaves its path segment or its
/// query value; see ``Path``. If you pass the path in a variable, all of its text is path, even a "?".
///
/// Equal endpoints send the same bytes. They are compared part by part: the path with its whole query as one text, the
/// method, the headers, the body, the base, and three properties of ``context``: the idempotency key, the tags and
/// `skipsAuthorization`. Text is compared code unit by code unit, except that the case of header names does not matter.
/// So "/x" under "https://h/v1" is not equal to "/v1/x" under "https://h", though both have the same URL. To compare
/// URLs, compare ``url``.
public struct Endpoint: Sendable {
    /// The path and its own query, without ``query``.
    private(set) var pathAndQuery: Path

    /// The decoded path without a query; "/" separates its segments.
    ///
    /// A slash within a segment reads as "%2F". An assigned path counts as not encoded. So if you read a path with
    /// "%2F" and assign the same text back, the path changes. To give all paths a prefix, put the prefix into ``base``.
    /// Assigning a path keeps the query. The path is appended to the path of ``base``, with or without a leading slash.
    public var path: String {
        get { pathAndQuery.decodedPath }
        set { pathAndQuery = pathAndQuery.replacingPath(with: newValue) }
    }

    /// The query that is appended to the path's own query.
    public var query: Query

    /// The method.
    public var method: HTTPMethod

    /// The headers that the app sets.
    ///
    /// For the headers that are sent, see ``effectiveHeaders``.
    public var headers: HTTPHeaders

    /// The body.
    public var body: HTTPRequest.Body

    /// The URL that the path and the query are appended to.
    ///
    /// The base's own path and query are kept; its fragment is removed.
    public var base: URL?

    /// Properties of the call, such as its time limits and its idempotency key.
    public var context: HTTPRequest.Context

    /// Creates an endpoint from a literal.
    ///
    /// - Parameters:
    ///   - path: The path and a query: literal text is structure, values are data; see ``Path``.
    ///   - query: A query to append to the path's own.
    ///   - method: The method.
    ///   - headers: The headers. If they have no Content-Type, the body adds its own.
    ///   - body: The body.
    ///   - base: The absolute http or https URL that the path is appended to. Without one, ``url`` is nil.
    ///   - context: Properties of the call, such as its time limits.
    public init(
        path: Path,
        query: Query = [:],
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: HTTPRequest.Body = .none,
        base: URL? = nil,
        context: HTTPRequest.Context = HTTPRequest.Context()
    ) {
        pathAndQuery = path
        self.query = query
        self.method = method
        self.headers = headers
        self.body = body
        self.base = base
        self.context = context
    }

    /// Creates an endpoint from a whole URL, which is sent unchanged, without its fragment.
    ///
    /// - Parameter url: An absolute http or https URL.
    public init(url: URL) { self.init(path: "", base: url) }

    /// Creates an endpoint from a whole URL: the URL's origin is the base, and its path is ``path``.
    ///
    /// Such an endpoint sends the same request as an endpoint from `init(url:)`, but the two are not equal, because
    /// endpoints are compared part by part.
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
        let path = Path(stringLiteral: parts.target)
        // If `Path` refuses this path, or encodes a part of it, the path stays in the base, which is sent unchanged.
        guard path.isValid, path.text == parts.target else { return }
        (base, pathAndQuery) = (origin, path)
    }

    /// Returns a function that sets the base of each endpoint without one.
    ///
    /// ```swift
    /// let api = chain(Endpoint.based(on: server), to: URLSession.shared.request)
    /// ```
    ///
    /// An endpoint that was created from a whole URL already has a base.
    public static func based(on base: URL) -> @Sendable (Endpoint) -> Endpoint {
        { endpoint in
            var endpoint = endpoint
            endpoint.base = endpoint.base ?? base
            return endpoint
        }
    }

    /// The headers that are sent.
    ///
    /// These are ``headers``, the body's Content-Type if they have none, and the idempotency key of ``context``
    /// if they have no Idempotency-Key.
    public var effectiveHeaders: HTTPHeaders {
        headers.completed(contentType: body.contentType, idempotencyKey: context.idempotencyKey)
    }
}

extension Endpoint {
    /// The absolute URL; nil if there is no valid one.
    ///
    /// The path and the query are appended to the path and the query of ``base``; see ``Path`` and
    /// ``query``. Empty segments are kept.
    ///
    /// Letters, digits and these characters stay as they are, and all others are percent-encoded as UTF-8:
    ///
    /// - in a path from a variable: `-._~!$&'()*,;=:@/` (RFC 3986, section 3.3, without "+", which some servers
    ///   read as a space)
    /// - in a value within a path: the same, without "/" and ";"
    /// - in a name or value of the query: `-._~`
    ///
    /// Any decoder of URIs or forms decodes the same text.
    ///
    /// The URL is nil in these cases:
    ///
    /// - There is no absolute http or https base with a host.
    /// - The host is percent-encoded, or the port is above 65535.
    /// - The path is a URL.
    /// - A segment of the path is "." or "..", even if the slashes or backslashes around it belong to a value.
    /// - A value that is a whole segment is empty.
    ///
    /// Paths in the last two cases are refused because clients and servers remove such segments, each in its own way:
    /// "/products/.." would be another resource.
    ///
    /// - Complexity: Linear in the length of the path and the query.
    public var url: URL? {
        guard pathAndQuery.isValid, let base, let whole = AbsoluteURL(base) else { return nil }
        return URL(string: whole.text(appending: target))
    }

    /// The path and the whole query, percent-encoded.
    var target: String {
        if query.items.isEmpty { return pathAndQuery.text }
        let items = query.items.map { item in
            let name = PercentEncoding.query.encode(item.name)
            return item.value.map { "\(name)=\(PercentEncoding.query.encode($0))" } ?? name
        }
        let text = pathAndQuery.text
        let mark = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
        return text + mark + items.joined(separator: "&")
    }

    /// Returns the URL to send the endpoint to, or throws if the endpoint cannot be sent.
    ///
    /// `HTTPRequest.init(_:)` calls this.
    ///
    /// - Returns: The same as ``url``.
    /// - Throws: ``Error/invalidMethod(_:)`` if the method is not a token; ``Error/invalidHeader(name:)`` if
    ///   `HTTPHeaders.isValid(name:value:)` refuses a header or the body's Content-Type;
    ///   ``Error/reservedHeader(name:)`` for a header that is reserved for the transport;
    ///   ``Error/bodyNotAllowed(method:)`` if GET, HEAD or TRACE has a body that is not empty;
    ///   ``Error/dotSegment`` or ``Error/emptySegment`` if ``url`` is nil because of such a segment, and otherwise
    ///   ``Error/invalidURL``.
    public func validate() throws(Endpoint.Error) -> URL {
        try HTTPRequest.validate(method, effectiveHeaders, body)
        switch pathAndQuery.problem {
        case .dotSegment: throw .dotSegment
        case .emptySegment: throw .emptySegment
        case .url, nil: break
        }
        guard let url else { throw .invalidURL }
        return url
    }

    /// A base for validating endpoints that are not sent.
    package static let anyBase = URL(string: "http://in.memory")!
}

extension Endpoint: Hashable {
    /// Returns whether two endpoints have the same parts, so that they send the same bytes.
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

extension Endpoint: DescriptionOnly {
    /// The method and the URL, without userinfo, query values, headers, or body.
    ///
    /// Like "GET https://api.example.com/search?q=…".
    public var description: String {
        let place = Path(text: target, problem: pathAndQuery.problem)
        let verb = SafeText.escaped(method.rawValue)
        return "\(verb) \(url.map(SafeText.redacted) ?? place.description)"
    }
}

extension Endpoint: NamedRequest {
    /// True if the endpoint may be requested twice.
    ///
    /// Its method must be idempotent, or the endpoint must have an idempotency key, so that the server recognises a
    /// repetition. Its body must be replayable.
    public var isReplayable: Bool {
        guard body.isReplayable else { return false }
        return method.isIdempotent || headers["Idempotency-Key"] != nil
            || context.idempotencyKey != nil
    }

    /// True if the body is a stream that can be opened only once, and has been opened.
    package var isConsumed: Bool { body.isConsumed }

    /// The same as ``description``.
    package var loggedName: String { description }
}

extension Endpoint {
    /// Names and values in order, for a query or a form.
    ///
    /// ```swift
    /// let query: Endpoint.Query = ["page": 2, "q": term, "cursor": cursor]
    /// ```
    ///
    /// A value is a text, a number, a `Bool` or a `UUID`; see ``QueryValue``. It is encoded when it is sent. An array of
    /// values repeats its name: `["id": [7, 9]]` is sent as `id=7&id=9`. If a value is nil, or an array is empty, its
    /// name isn't sent either.
    public struct Query: Hashable, Sendable {
        /// The items, not encoded.
        public var items: [URLQueryItem]

        /// Creates a query from items.
        ///
        /// - Parameter items: The items, not encoded. An item without a value is sent as its bare name.
        public init(_ items: [URLQueryItem] = []) { self.items = items }
    }
}

extension Endpoint.Query: DescriptionOnly {
    /// The names without their values, which may be passwords and keys: `user=…&password=…`.
    public var description: String {
        items.map { SafeText.escaped($0.name) + ($0.value == nil ? "" : "=…") }
            .joined(separator: "&")
    }
}

extension Endpoint.Query: ExpressibleByDictionaryLiteral {
    /// Creates a query from a literal; its names may repeat.
    public init(dictionaryLiteral elements: (String, (any Endpoint.QueryValue)?)...) {
        self.init(
            elements.flatMap { name, value in
                (value?.queryTexts ?? []).map { URLQueryItem(name: name, value: $0) }
            })
    }
}

extension Endpoint {
    /// What a query's literal takes as a value: text, characters, numbers, `Bool`, `UUID`, and arrays of these.
    ///
    /// An enum or an identifier of your own with a raw value of these kinds conforms without code:
    ///
    /// ```swift
    /// enum Order: String, Endpoint.QueryValue { case name, price }
    /// ```
    public protocol QueryValue {
        /// The texts to send, each with the name; empty to send none.
        var queryTexts: [String] { get }
    }
}

extension Endpoint.QueryValue where Self: LosslessStringConvertible {
    /// The value as Swift writes it.
    public var queryTexts: [String] { [description] }
}

extension Endpoint.QueryValue where Self: RawRepresentable, RawValue: Endpoint.QueryValue {
    /// The texts of the raw value.
    public var queryTexts: [String] { rawValue.queryTexts }
}

extension String: Endpoint.QueryValue {}
extension Substring: Endpoint.QueryValue {}
extension Character: Endpoint.QueryValue {}
extension Bool: Endpoint.QueryValue {}
extension Int: Endpoint.QueryValue {}
extension Int8: Endpoint.QueryValue {}
extension Int16: Endpoint.QueryValue {}
extension Int32: Endpoint.QueryValue {}
extension Int64: Endpoint.QueryValue {}
extension UInt: Endpoint.QueryValue {}
extension UInt8: Endpoint.QueryValue {}
extension UInt16: Endpoint.QueryValue {}
extension UInt32: Endpoint.QueryValue {}
extension UInt64: Endpoint.QueryValue {}
extension Double: Endpoint.QueryValue {}
extension Float: Endpoint.QueryValue {}

extension UUID: Endpoint.QueryValue {
    /// The identifier in upper case.
    public var queryTexts: [String] { [uuidString] }
}

extension Array: Endpoint.QueryValue where Element: Endpoint.QueryValue {
    /// The texts of the elements, in their order.
    public var queryTexts: [String] { flatMap(\.queryTexts) }
}

extension Endpoint {
    /// The reason why an endpoint cannot be sent.
    public enum Error: Swift.Error, Hashable, Sendable {
        /// There is no valid absolute http or https URL.
        case invalidURL
        /// A segment of the path is "." or "..", so a server might read another path.
        ///
        /// The slashes or backslashes around the segment may belong to a value, such as "a/../b".
        case dotSegment
        /// A value that is a whole segment of the path is empty, so the path would name another resource.
        case emptySegment
        /// A header's name is not a token, or its value contains a control character.
        case invalidHeader(name: String)
        /// The header is reserved for the transport, or has an invalid value.
        ///
        /// These headers are reserved: Connection, Expect, Keep-Alive, Proxy-Authorization, Proxy-Connection, TE,
        /// Trailer, Transfer-Encoding and Upgrade. A second or invalid Host, and a Content-Length that is not the
        /// body's length, are refused too.
        case reservedHeader(name: String)
        /// The method is not a token.
        case invalidMethod(String)
        /// There is a body, but the method allows none.
        case bodyNotAllowed(method: HTTPMethod)
        /// A call has more than one of `json`, `form`, `multipart` and `file`.
        case severalBodies
    }
}

extension Endpoint.Error: CustomStringConvertible, DescribedError, CodedError, ShownCause {
    /// The problem and what to do, without a header's value or a control character.
    public var description: String {
        switch self {
        case .invalidURL:
            """
            there is no valid absolute http or https URL: the scheme must be http or https, with a \
            host and a port up to 65535; an endpoint that is a path needs a base such as \
            https://api.example.com; a whole URL is Endpoint(url:)
            """
        case .dotSegment:
            """
            the path cannot be sent: one of its segments is "." or "..", which would lead out of \
            the path; a value with such a segment, as in "a/../b", is refused too, so check values \
            before you put them into a path
            """
        case .emptySegment:
            """
            the path cannot be sent: a value that is a whole segment is empty, so the path would \
            name something else, as "/users/" does without an id; check values before you put them \
            into a path
            """
        case .invalidHeader(let name):
            """
            the header "\(SafeText.escaped(name))" cannot be sent: a name is made of letters, \
            digits and !#$%&'*+-.^_`|~, and a value holds no control character (CR, LF and NUL \
            among them) other than tab
            """
        case .reservedHeader(let name):
            """
            the header "\(SafeText.escaped(name))" cannot be sent: the transport sets what is about the \
            connection, its framing and its proxy, whose name and password are part of the transport's \
            settings; leave it out. Host may be set once, to a host with or without a \
            port, and Content-Length to the length that the body has
            """
        case .invalidMethod(let method):
            """
            the method "\(SafeText.escaped(method))" cannot be sent: a method is made of letters, \
            digits and !#$%&'*+-.^_`|~
            """
        case .bodyNotAllowed(let method):
            """
            \(method) carries no body: send it with POST, PUT, PATCH or QUERY, or put its values \
            into the query
            """
        case .severalBodies: "a call has several bodies: pass one of json, form, multipart and file"
        }
    }

    /// The case's name.
    public var loggedCode: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .invalidHeader: "invalidHeader"
        case .reservedHeader: "reservedHeader"
        case .invalidMethod: "invalidMethod"
        case .bodyNotAllowed: "bodyNotAllowed"
        case .dotSegment: "dotSegment"
        case .emptySegment: "emptySegment"
        case .severalBodies: "severalBodies"
        }
    }
}

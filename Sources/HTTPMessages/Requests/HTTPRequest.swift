public import PledgeFutures
import PledgeHTTPText
public import PledgeServices

/// A request for a transport: a method, an absolute URL, headers, a body, and a context.
///
/// ```swift
/// var request = HTTPRequest(.post, URL(string: "https://api.example.com/orders")!)
/// request.body = try .json(order)
/// request.context.idempotencyKey = order.id.uuidString
/// ```
///
/// Two requests are equal if their method, URL, headers, body, idempotency key and tags are equal, and both or neither
/// skip authorization. The rest of the context is not compared.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod

    /// The absolute http or https URL, percent-encoded; its fragment is not sent.
    public var url: URL

    /// The headers that you set; ``effectiveHeaders`` are the ones that are sent.
    ///
    /// The headers of the connection belong to the transport, and ``validate()`` refuses them here. A correct
    /// Content-Length is allowed, but the transport sends its own.
    public var headers: HTTPHeaders

    /// The body.
    public var body: Body

    /// Properties of the call.
    public var context: Context

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute http or https URL.
    ///   - headers: The headers. A body adds its Content-Type if they have none.
    ///   - body: The body.
    ///   - context: Properties of the call.
    public init(
        _ method: HTTPMethod, _ url: URL, headers: HTTPHeaders = [:], body: Body = .none,
        context: Context = Context()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.context = context
    }

    /// Creates a GET request.
    ///
    /// - Parameters:
    ///   - url: The absolute http or https URL.
    ///   - headers: The headers.
    ///   - context: Properties of the call.
    public init(_ url: URL, headers: HTTPHeaders = [:], context: Context = Context()) {
        self.init(.get, url, headers: headers, context: context)
    }

    /// Creates the request that sends an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - base: The base to use if the endpoint has none; see ``Endpoint/based(on:)``.
    /// - Throws: `Endpoint.Error` if the endpoint cannot be sent.
    public init(_ endpoint: Endpoint, base: URL? = nil) throws(Endpoint.Error) {
        let endpoint = base.map { Endpoint.based(on: $0)(endpoint) } ?? endpoint
        self.init(
            endpoint.method, try endpoint.validate(), headers: endpoint.effectiveHeaders,
            body: endpoint.body, context: endpoint.context)
    }

    /// Returns the request with a client's JSON settings.
    ///
    /// The settings encode the body, unless the body has settings of its own, and decode the response. If another
    /// client has already set its settings, the request does not change.
    ///
    /// - Throws: The encoder's error.
    package func using(_ json: JSONCoding) throws -> HTTPRequest {
        if json.isStandard || context.json != nil { return self }
        var request = self
        request.context.json = json
        if let value = body.value {
            let data = try json.encoder().encode(value)
            request.body = Body(.data(data), contentType: body.contentType)
        }
        return request
    }

    /// The headers that are sent, without Content-Length and Transfer-Encoding.
    ///
    /// These are ``headers``, the body's Content-Type if they have none, and the idempotency key of ``context`` if they
    /// have no Idempotency-Key.
    public var effectiveHeaders: HTTPHeaders {
        var headers = completedHeaders
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        return headers
    }

    /// The headers with the additions of the body and the context.
    var completedHeaders: HTTPHeaders {
        headers.completed(contentType: body.contentType, idempotencyKey: context.idempotencyKey)
    }
}

extension HTTPHeaders {
    /// Returns the headers with a Content-Type and an Idempotency-Key added, each if it is missing.
    ///
    /// A multipart type without a boundary gets the body's boundary.
    func completed(contentType: String?, idempotencyKey: String?) -> HTTPHeaders {
        var headers = self
        if let contentType {
            let own = headers["Content-Type"]
            if own == nil {
                headers.set(contentType, for: "Content-Type")
            } else if let own, let parameters = Self.missingBoundary(own, in: contentType) {
                headers.set(own + parameters, for: "Content-Type")
            }
        }
        if let idempotencyKey, headers["Idempotency-Key"] == nil {
            headers.set(idempotencyKey, for: "Idempotency-Key")
        }
        return headers
    }
}

extension HTTPHeaders {
    /// The parameters of a multipart body's type, if the app's own multipart type has no boundary.
    private static func missingBoundary(_ own: String, in type: String) -> Substring? {
        let isMultipart = { (text: String) in text.lowercased().hasPrefix("multipart/") }
        guard isMultipart(own), isMultipart(type), !own.lowercased().contains("boundary=") else {
            return nil
        }
        return type.firstIndex(of: ";").map { type[$0...] }
    }
}

extension HTTPRequest: Hashable {
    /// Returns whether two requests are equal; see ``HTTPRequest`` for the parts that are compared.
    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.headers == right.headers
            && left.body == right.body && left.context.compared == right.context.compared
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        method.hash(into: &hasher)
        url.hash(into: &hasher)
        headers.hash(into: &hasher)
        body.hash(into: &hasher)
        context.compared.hash(into: &hasher)
    }
}

extension HTTPRequest: DescriptionOnly {
    /// The method and the URL, without userinfo, the query's values, the headers and the body.
    public var description: String {
        "\(SafeText.escaped(method.rawValue)) \(SafeText.redacted(url))"
    }
}

extension HTTPRequest: NamedRequest {
    /// True if the request may be sent twice.
    ///
    /// Its body must be replayable. Its method must be idempotent, or the request must have an idempotency key, so that
    /// the server recognises the repetition.
    public var isReplayable: Bool {
        body.isReplayable
            && (method.isIdempotent || context.idempotencyKey != nil
                || headers["Idempotency-Key"] != nil)
    }

    /// True if the body is a stream that can be opened only once, and has been opened.
    package var isConsumed: Bool { body.isConsumed }

    /// The same as ``description``.
    package var loggedName: String { description }
}

extension HTTPRequest {
    /// Checks that the request can be sent.
    ///
    /// Transports call this first.
    ///
    /// - Throws: ``Endpoint/Error/invalidMethod(_:)`` if the method is not a token;
    ///   ``Endpoint/Error/invalidHeader(name:)`` for a header that `HTTPHeaders.isValid(name:value:)` refuses;
    ///   ``Endpoint/Error/reservedHeader(name:)`` for a header reserved for the transport;
    ///   ``Endpoint/Error/bodyNotAllowed(method:)`` for a GET, HEAD or TRACE with a body that is not empty; and
    ///   ``Endpoint/Error/invalidURL`` unless the URL is an absolute http or https URL with a host.
    public func validate() throws(Endpoint.Error) {
        try Self.validate(method, completedHeaders, body)
        guard AbsoluteURL.isOne(url) else { throw .invalidURL }
    }

    /// Checks everything except the URL, for a request or an endpoint.
    static func validate(
        _ method: HTTPMethod, _ headers: HTTPHeaders, _ body: Body
    ) throws(Endpoint.Error) {
        guard HTTPHeaders.isToken(method.rawValue) else { throw .invalidMethod(method.rawValue) }
        var hasHost = false
        for (index, (name, value)) in headers.enumerated() {
            guard headers.isValid(at: index, name: name, value: value) else {
                throw .invalidHeader(name: name)
            }
            let isAllowed: Bool
            switch HTTPHeaders.reservation(of: name) {
            case nil: isAllowed = true
            case .always: isAllowed = false
            case .host:
                isAllowed = !hasHost && AbsoluteURL.isHost(value)
                hasHost = true
            case .length:
                isAllowed =
                    body.length.map { value == "\($0)" } ?? value.utf8.allSatisfy(\.isDigit)
            }
            if !isAllowed { throw .reservedHeader(name: name) }
        }
        if [.get, .head, .trace].contains(method), !body.isEmpty {
            throw .bodyNotAllowed(method: method)
        }
    }
}

extension URL {
    /// The path and the query, as in a request line (RFC 9112, section 3.2.1).
    ///
    /// Nil unless the URL is an absolute http or https URL with a host.
    package var requestTarget: String? {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard let offsets = URLPartOffsets(bytes) else { return nil }
            let target = String(decoding: bytes[offsets.path..<offsets.end], as: UTF8.self)
            return target.hasPrefix("/") ? target : "/\(target)"
        }
    }
}

/// A request for a transport: a method, an absolute URL, headers, a body, and the call's context.
///
/// ```swift
/// var request = HTTPRequest(.post, URL(string: "https://api.example.com/orders")!)
/// request.body = try .json(order)
/// request.context.idempotencyKey = order.id.uuidString
/// ```
///
/// Two requests are equal if they have the same method, URL, headers, body, idempotency key and tags, and
/// both skip authorization or both do not. Deadline and attempt are not compared.
public struct HTTPRequest {
    /// The method.
    public var method: HTTPMethod

    /// The absolute http or https URL, percent-encoded; its fragment is not sent.
    public var url: URL

    /// The headers; see ``effectiveHeaders`` for the sent headers.
    ///
    /// The transport sets the headers of the connection; they are refused here: see ``validate()``.
    /// A correct Content-Length is allowed; the transport sends its own.
    public var headers: HTTPHeaders

    /// The body.
    public var body: Body

    /// Properties of the call.
    public var context: Context

    /// Makes a request.
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

    /// Makes a request that gets a URL.
    ///
    /// - Parameters:
    ///   - url: The absolute http or https URL.
    ///   - headers: The headers.
    ///   - context: Properties of the call.
    public init(_ url: URL, headers: HTTPHeaders = [:], context: Context = Context()) {
        self.init(.get, url, headers: headers, context: context)
    }

    /// Lowers an endpoint to the request that sends it.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - base: The base, if the endpoint has none; see ``Endpoint/based(on:)``.
    /// - Throws: `Endpoint.Error` if the endpoint cannot be sent.
    public init(_ endpoint: Endpoint, base: URL) throws(Endpoint.Error) {
        try self.init(Endpoint.based(on: base)(endpoint))
    }

    /// Lowers an endpoint, which has a base, to the request that sends it.
    ///
    /// - Throws: `Endpoint.Error` if the endpoint cannot be sent.
    public init(_ endpoint: Endpoint) throws(Endpoint.Error) {
        self.init(
            endpoint.method, try endpoint.validate(), headers: endpoint.effectiveHeaders,
            body: Body(endpoint.body), context: endpoint.context)
    }

    /// Lowers an endpoint, with another body in place of its own unless that is nil.
    init(_ endpoint: Endpoint, sending body: Body?) throws(Endpoint.Error) {
        try self.init(endpoint)
        if let body { self.body = body }
    }

    /// The same by a client's JSON settings: its body is encoded by them, unless it has settings of its own, and its answer
    /// is decoded by them.
    ///
    /// Unchanged if another client has set its own.
    ///
    /// - Throws: What the encoder throws.
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

    /// The headers that are sent: ``headers``, the body's Content-Type if they have none, and the idempotency
    /// key, if there is one and they have no Idempotency-Key.
    ///
    /// Without Content-Length and Transfer-Encoding.
    public var effectiveHeaders: HTTPHeaders {
        var headers = completedHeaders
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        return headers
    }

    /// ``headers`` with the additions of the body and the context.
    var completedHeaders: HTTPHeaders {
        headers.completed(contentType: body.contentType, idempotencyKey: context.idempotencyKey)
    }
}

extension HTTPHeaders {
    /// The same with the additions of a body and a context, where there is no header of the name.
    func completed(contentType: String?, idempotencyKey: String?) -> HTTPHeaders {
        var headers = self
        if let contentType, headers["Content-Type"] == nil {
            headers.set(contentType, for: "Content-Type")
        }
        if let idempotencyKey, headers["Idempotency-Key"] == nil {
            headers.set(idempotencyKey, for: "Idempotency-Key")
        }
        return headers
    }
}

extension HTTPRequest: Hashable {
    /// Whether two requests are equal; see the type.
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

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the URL, without userinfo and the query's values, headers, or body.
    public var description: String {
        "\(SafeText.escaped(method.rawValue)) \(SafeText.redacted(url))"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description, the headers redacted, and what kind of body there is.
    public var customMirror: Mirror {
        Mirror(self, children: ["request": description, "headers": headers, "body": body])
    }
}

extension HTTPRequest: Sendable {}

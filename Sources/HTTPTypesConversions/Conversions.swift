#if HTTPTypes
public import HTTPTypes
public import PledgeHTTPMessages
import PledgeHTTPText

extension HTTPTypes.HTTPRequest {
    /// Creates the head of a request from Pledge's request, with the fields that Pledge would send.
    ///
    /// The fields are the request's `effectiveHeaders`: its own headers, the body's Content-Type, and the
    /// Idempotency-Key, but not Content-Length. A Host header isn't copied, because the authority already names the
    /// host.
    ///
    /// The body, the context and the URL's fragment are lost, because this type can't store them. (A fragment is never
    /// sent.) The scheme becomes lower case, and an empty path becomes "/".
    ///
    /// - Parameter request: The request.
    /// - Throws: ``ConversionError/invalidMethod(_:)``, ``ConversionError/invalidURL``,
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and the errors of `HTTPFields.init(_:)`.
    public init(_ request: PledgeHTTPMessages.HTTPRequest) throws(ConversionError) {
        guard let method = Method(request.method) else {
            throw .invalidMethod(request.method.rawValue)
        }
        guard let parts = AbsoluteURL(request.url), let target = request.url.requestTarget,
            HTTPField.isValidValue(target)
        else { throw .invalidURL }
        let scheme = parts.schemeAndAuthority.prefix { $0 != ":" }
        let authority = String(parts.schemeAndAuthority.dropFirst(scheme.count + 3))
        guard !authority.contains("@") else { throw .userInfoInURL }
        self.init(
            method: method, scheme: String(scheme), authority: authority, path: target,
            headerFields: try HTTPFields(request.effectiveHeaders.without(host: authority)))
    }
}

extension PledgeHTTPMessages.HTTPRequest {
    /// Creates a request from a request of HTTPTypes.
    ///
    /// The method, scheme, authority, path and fields are kept as written. Without an authority, the Host field is
    /// the authority, as in HTTP/1.1.
    ///
    /// The fields' indexing strategies are lost, and so is everything else that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - request: The head of the request. Its scheme must be set. A request that a server receives over HTTP/1.1
    ///     has none, because HTTP/1.1 doesn't send it.
    ///   - body: The body, which HTTPTypes stores separately.
    /// - Throws: ``ConversionError/notForAResource(method:)`` for CONNECT, and for OPTIONS of "*";
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and ``ConversionError/invalidURL`` if the
    ///   parts don't form a URL, or if that URL would have different parts.
    public init(
        _ request: HTTPTypes.HTTPRequest, body: PledgeHTTPMessages.HTTPRequest.Body = .none
    ) throws(ConversionError) {
        guard request.method != .connect, request.extendedConnectProtocol == nil,
            request.path != "*"
        else { throw .notForAResource(method: request.method.rawValue) }
        let headers = HTTPHeaders(request.headerFields)
        guard let scheme = request.scheme, let path = request.path,
            let authority = request.authority ?? headers["Host"]
        else { throw .invalidURL }
        guard !authority.contains("@") else { throw .userInfoInURL }
        let place = "\(scheme)://\(authority)"
        guard let url = URL(string: place + path),
            // Foundation percent-encodes characters that a URL doesn't allow, which would change the URL.
            url.absoluteString == place + path, url.requestTarget == path,
            AbsoluteURL.schemeAndAuthority(of: url) == place
        else { throw .invalidURL }
        self.init(
            HTTPMethod(request.method), url, headers: try headers.without(host: authority),
            body: body)
    }
}

extension HTTPHeaders {
    /// Returns the headers without a Host field that equals the authority.
    fileprivate func without(host authority: String) throws(ConversionError) -> HTTPHeaders {
        let hosts = values(for: "Host")
        guard hosts.allSatisfy({ $0.lowercased() == authority.lowercased() }) else {
            throw .hostDiffers
        }
        var rest = self
        rest.remove("Host")
        return rest
    }
}

extension HTTPTypes.HTTPResponse {
    /// Creates the head of a response from a response of Pledge, whole or streamed.
    ///
    /// The reason phrase is empty: Pledge stores none, and HTTP/2 has none. The body, the URL, the timing and the
    /// request are lost, because this type can't store them.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``ConversionError/invalidStatus(_:)``, and the errors of `HTTPFields.init(_:)`.
    public init(_ response: some HTTPResponseHead) throws(ConversionError) {
        guard (0...999).contains(response.status) else { throw .invalidStatus(response.status) }
        self.init(
            status: Status(code: response.status),
            headerFields: try HTTPFields(response.headers))
    }
}

extension PledgeHTTPMessages.HTTPResponse {
    /// Creates a response from a response of HTTPTypes and a body.
    ///
    /// The reason phrase is lost, and so is everything else that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - body: The body, which HTTPTypes stores separately.
    ///   - url: The URL that the response comes from.
    public init(_ response: HTTPTypes.HTTPResponse, body: Data = Data(), url: URL? = nil) {
        self.init(
            status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body,
            url: url)
    }
}

extension HTTPStreamedResponse {
    /// Creates a response from a response of HTTPTypes and a streamed body.
    ///
    /// The reason phrase is lost, and so is everything else that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - body: The body, which HTTPTypes stores separately.
    ///   - url: The URL that the response comes from.
    public init(_ response: HTTPTypes.HTTPResponse, body: HTTPBodyStream, url: URL? = nil) {
        self.init(
            status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body,
            url: url)
    }
}

extension HTTPHeaders {
    /// Creates headers from the fields of HTTPTypes, keeping the order, the values, and the case of the names.
    ///
    /// Only three things are lost, because `HTTPHeaders` can't store them:
    ///
    /// - The bytes of a value that isn't UTF-8. Such a value is read as ISO-8859-1. If it's converted back, its text is
    ///   written as UTF-8.
    /// - White space around a value, which only `HTTPField(name:lenientValue:)` allows.
    /// - A field's indexing strategy. Mark a field again if it must never be indexed (RFC 7541, section 7.1.3).
    ///
    /// Complexity: linear in the size of the fields.
    ///
    /// - Parameter fields: The fields. `HTTPFields` holds no pseudo fields.
    public init(_ fields: HTTPFields) {
        self.init(
            fields.lazy.map { field in
                let text = field.withUnsafeBytesOfValue { HTTPHeaders.text(ofValue: $0) }
                return (field.name.rawName, text)
            })
    }
}

extension HTTPFields {
    /// Creates fields from Pledge's headers, keeping the order and the case of the names.
    ///
    /// Values become UTF-8. Nothing is lost. The fields have the automatic indexing strategy, and several Cookie
    /// fields aren't joined.
    ///
    /// Complexity: linear in the size of the headers.
    ///
    /// - Parameter headers: The headers.
    /// - Throws: ``ConversionError/invalidFieldName(_:)``, ``ConversionError/invalidFieldValue(name:)`` if
    ///   `HTTPField` would change the value, and ``ConversionError/tooManyFields(_:)``.
    public init(_ headers: HTTPHeaders) throws(ConversionError) {
        // With more fields, `append` would trap.
        guard headers.count < UInt16.max else { throw .tooManyFields(headers.count) }
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let fieldName = HTTPField.Name(name) else { throw .invalidFieldName(name) }
            guard HTTPField.isValidValue(value) else { throw .invalidFieldValue(name: name) }
            append(HTTPField(name: fieldName, value: value))
        }
    }
}

extension HTTPMethod {
    /// Creates the method from the same method of HTTPTypes.
    public init(_ method: HTTPTypes.HTTPRequest.Method) { self.init(rawValue: method.rawValue) }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Creates the method from the same method of Pledge; nil if it isn't a token.
    public init?(_ method: HTTPMethod) { self.init(rawValue: method.rawValue) }
}
#endif

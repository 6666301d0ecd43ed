#if HTTPTypes
public import PledgeHTTPNetworking
public import HTTPTypes

extension HTTPTypes.HTTPRequest {
    /// Makes the head of a request from a request of Pledge, as it is sent.
    ///
    /// The fields are the request's `effectiveHeaders`: its own, the body's Content-Type, and the
    /// Idempotency-Key, without Content-Length. A Host that equals the URL's becomes the authority, and is
    /// not a field.
    ///
    /// The body, the URL's fragment, which is not sent, and the context are lost, since this type cannot
    /// store them. The scheme is in lower case, and an empty path becomes "/".
    ///
    /// - Parameter request: The request.
    /// - Throws: ``ConversionError/invalidMethod(_:)``, ``ConversionError/invalidURL``,
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and what `HTTPFields.init(_:)`
    ///   throws.
    public init(_ request: PledgeHTTPNetworking.HTTPRequest) throws(ConversionError) {
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

extension PledgeHTTPNetworking.HTTPRequest {
    /// Makes a request from a request of HTTPTypes.
    ///
    /// Method, scheme, authority, path and fields are kept as they are written. If there is no authority, the
    /// field Host is used as the authority, as HTTP/1.1 sends it.
    ///
    /// The indexing strategies are lost, and everything that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - request: The head of the request. Its scheme must be set: a request that a server receives over
    ///     HTTP/1.1 has none, since HTTP/1.1 does not send it.
    ///   - body: The body, which HTTPTypes stores separately.
    /// - Throws: ``ConversionError/notForAResource(method:)`` for CONNECT, and for OPTIONS of "*";
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and
    ///   ``ConversionError/invalidURL`` if the parts do not form a URL with the same parts.
    public init(
        _ request: HTTPTypes.HTTPRequest, body: PledgeHTTPNetworking.HTTPRequest.Body = .none
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
            // Foundation percent-encodes characters that are not allowed in a URL, which would change the
            // URL.
            url.absoluteString == place + path, url.requestTarget == path,
            AbsoluteURL.schemeAndAuthority(of: url) == place
        else { throw .invalidURL }
        self.init(
            HTTPMethod(request.method), url, headers: try headers.without(host: authority),
            body: body)
    }
}

extension HTTPHeaders {
    /// The same headers without a Host that equals the authority.
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
#endif

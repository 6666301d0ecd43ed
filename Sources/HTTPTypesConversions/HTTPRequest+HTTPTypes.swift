#if HTTPTypes
public import HTTPNetworking
public import HTTPTypes

extension HTTPTypes.HTTPRequest {
    /// Makes the head of a request of Pledge, as it is sent.
    ///
    /// The fields are the request's `effectiveHeaders`: its own, the body's Content-Type, and the
    /// Idempotency-Key, without Content-Length. A Host that says the same as the URL is the authority, and no
    /// field.
    ///
    /// What this type has no place for is lost: the body, the URL's fragment, which is not sent, and the context.
    /// The scheme is in lower case, and an empty path is "/".
    ///
    /// - Parameter request: The request.
    /// - Throws: ``ConversionError/invalidMethod(_:)``, ``ConversionError/invalidURL``,
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and what `HTTPFields.init(_:)`
    ///   throws.
    public init(_ request: HTTPNetworking.HTTPRequest) throws(ConversionError) {
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

extension HTTPNetworking.HTTPRequest {
    /// Makes a request of one of HTTPTypes.
    ///
    /// Method, scheme, authority, path and fields are kept as they are written. Where there is no authority, the
    /// field Host is taken for it, as HTTP/1.1 sends it.
    ///
    /// The indexing strategies are lost, and what `HTTPHeaders.init(_:)` names.
    ///
    /// - Parameters:
    ///   - request: The head of the request. Its scheme must be set: HTTP/1.1 does not send one, so that a
    ///     server's request has none.
    ///   - body: The body, which HTTPTypes keeps apart.
    /// - Throws: ``ConversionError/notForAResource(method:)`` for CONNECT, and for OPTIONS of "*";
    ///   ``ConversionError/userInfoInURL``, ``ConversionError/hostDiffers``, and ``ConversionError/invalidURL``
    ///   where the parts make no URL that says the same.
    public init(
        _ request: HTTPTypes.HTTPRequest, body: HTTPNetworking.HTTPRequest.Body = .none
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
            // Foundation encodes what may not stand in a URL, which would be another one.
            url.absoluteString == place + path, url.requestTarget == path,
            AbsoluteURL.schemeAndAuthority(of: url) == place
        else { throw .invalidURL }
        self.init(
            HTTPMethod(request.method), url, headers: try headers.without(host: authority),
            body: body)
    }
}

extension HTTPHeaders {
    /// The same without a Host that says the same as an authority.
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

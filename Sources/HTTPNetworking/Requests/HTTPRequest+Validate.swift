extension HTTPRequest {
    /// The reason why a request cannot be sent.
    ///
    /// The same type as for an endpoint, so that both levels fail in the same way.
    public typealias Error = Endpoint.Error

    /// Checks that the request can be sent.
    ///
    /// A transport calls this first.
    ///
    /// - Throws: ``Endpoint/Error/invalidMethod(_:)`` if the method is not a token,
    ///   ``Endpoint/Error/invalidHeader(name:)`` for a header that ``HTTPHeaders/isValid(name:value:)``
    ///   refuses, ``Endpoint/Error/reservedHeader(name:)`` for one that is reserved for the transport,
    ///   ``Endpoint/Error/bodyNotAllowed(method:)`` for GET, HEAD or TRACE with a body that is
    ///   not empty, and ``Endpoint/Error/invalidURL`` if the URL is not an absolute http or https URL with a
    ///   host.
    public func validate() throws(Endpoint.Error) {
        try Self.validate(method, completedHeaders, body)
        guard AbsoluteURL.isOne(url) else { throw .invalidURL }
    }

    /// Checks everything except the URL, of a request or of an endpoint.
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

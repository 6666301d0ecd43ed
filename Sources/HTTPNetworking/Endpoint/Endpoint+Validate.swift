extension Endpoint {
    /// The URL to send the endpoint to; throws if it cannot be sent.
    ///
    /// A transport calls this first.
    ///
    /// - Returns: The same as ``url``.
    /// - Throws: ``Error/invalidMethod(_:)`` if the method is not a token, ``Error/invalidHeader(name:)``
    ///   for a header that ``HTTPHeaders/isValid(name:value:)`` refuses, the body's Content-Type
    ///   included, ``Error/reservedHeader(name:)`` for one that is reserved for the transport,
    ///   ``Error/bodyNotAllowed(method:)`` for GET, HEAD or TRACE with a body that is
    ///   not empty, and ``Error/invalidURL`` if ``url`` is nil.
    public func validate() throws(Endpoint.Error) -> URL {
        try HTTPRequest.validate(method, effectiveHeaders, HTTPRequest.Body(body))
        guard let url else { throw .invalidURL }
        return url
    }

    /// A base for endpoints that are not sent, so that they are validated like others.
    package static let anyBase = URL(string: "http://in.memory")!
}

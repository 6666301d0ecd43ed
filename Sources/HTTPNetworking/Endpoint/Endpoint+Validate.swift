extension Endpoint {
    /// The URL to send the endpoint to, or why it cannot be sent.
    ///
    /// A transport calls this first.
    ///
    /// - Returns: The same as ``url``.
    /// - Throws: ``Error/invalidMethod(_:)`` where the method is no token, ``Error/invalidHeader(name:)``
    ///   for a header that ``HTTPHeaders/isValid(name:value:)`` refuses, the body's Content-Type
    ///   included, ``Error/reservedHeader(name:)`` for one that is the transport's to set,
    ///   ``Error/bodyNotAllowed(method:)`` for GET, HEAD or TRACE with a body that is
    ///   not empty, and ``Error/invalidURL`` where ``url`` is nil.
    public func validate() throws(Endpoint.Error) -> URL {
        try HTTPRequest.validate(method, effectiveHeaders, HTTPRequest.Body(body))
        guard let url else { throw .invalidURL }
        return url
    }

    /// A base for endpoints that are sent nowhere, so that they are checked like those that are.
    package static let anyBase = URL(string: "http://in.memory")!
}

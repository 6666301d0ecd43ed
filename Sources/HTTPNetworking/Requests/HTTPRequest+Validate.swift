extension HTTPRequest {
    /// Why a request cannot be sent.
    ///
    /// The same as for an endpoint, so that both levels fail alike.
    public typealias Error = Endpoint.Error

    /// Checks that the request can be sent.
    ///
    /// A transport calls this first.
    ///
    /// - Throws: ``Endpoint/Error/invalidMethod(_:)`` where the method is no token,
    ///   ``Endpoint/Error/invalidHeader(name:)`` for a header that ``HTTPHeaders/isValid(name:value:)``
    ///   refuses, ``Endpoint/Error/bodyNotAllowed(method:)`` for GET, HEAD or TRACE with a body that is
    ///   not empty, and ``Endpoint/Error/invalidURL`` where the URL is no absolute http or https URL
    ///   with a host.
    public func validate() throws(Endpoint.Error) {
        guard HTTPHeaders.isToken(method.rawValue) else { throw .invalidMethod(method.rawValue) }
        for (name, value) in effectiveHeaders where !HTTPHeaders.isValid(name: name, value: value) {
            throw .invalidHeader(name: name)
        }
        if [.get, .head, .trace].contains(method), !body.isEmpty {
            throw .bodyNotAllowed(method: method)
        }
        guard AbsoluteURL.isOne(url) else { throw .invalidURL }
    }
}

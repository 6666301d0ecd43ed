#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Endpoint {
    /// The URL to send the endpoint to, or why it cannot be sent.
    ///
    /// A transport calls this first.
    ///
    /// - Returns: The same as ``url``.
    /// - Throws: ``Error/invalidMethod(_:)`` where the method is no token, ``Error/invalidHeader(name:)``
    ///   for a header that ``HTTPHeaders/isValid(name:value:)`` refuses, the body's Content-Type
    ///   included, ``Error/bodyNotAllowed(method:)`` for GET, HEAD or TRACE with a body that is
    ///   not empty, and ``Error/invalidURL`` where ``url`` is nil.
    public func validate() throws(Endpoint.Error) -> URL {
        guard HTTPHeaders.isToken(method.rawValue) else { throw .invalidMethod(method.rawValue) }
        for (name, value) in effectiveHeaders where !HTTPHeaders.isValid(name: name, value: value) {
            throw .invalidHeader(name: name)
        }
        if [.get, .head, .trace].contains(method), body.data?.isEmpty == false {
            throw .bodyNotAllowed(method: method)
        }
        guard let url else { throw .invalidURL }
        return url
    }
}

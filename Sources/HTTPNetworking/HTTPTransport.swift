public import PledgeFutures

/// A transport: it sends requests to servers, and returns whole responses or responses with streamed bodies.
///
/// The rest of the package uses only these two functions of a transport: `transport.send` is an
/// ``HTTPService``, and `transport.stream` an ``HTTPStreamingService``. They return the server's
/// answer, of any status, and follow no redirect. The protocol names the pair for code that needs
/// both: `HTTPClient(base: server, over: transport)`.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns a future of the whole response.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse>

    /// Sends a request, and returns a future that settles when the headers of the response have arrived.
    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse>
}

extension HTTPTransport {
    /// Sends a request, and returns its whole response as a streamed one, for transports that cannot stream.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).map { HTTPStreamedResponse($0, body: HTTPBodyStream($0.body)) }
    }
}

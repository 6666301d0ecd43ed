public import Futures

/// What carries requests to servers, as whole responses and as responses whose bodies are on their way.
///
/// The rest of the package uses only these two functions of a transport: `transport.send` is an
/// ``HTTPService``, and `transport.stream` an ``HTTPStreamingService``. They return the server's
/// answer, of any status, and follow no redirect. The protocol names the pair for code that needs
/// both: `HTTPClient(base: server, over: transport)`.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and gives a future of the whole response.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse>

    /// Sends a request, and gives a future of the response as soon as its headers have come.
    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse>
}

extension HTTPTransport {
    /// Sends a request, and gives its whole response as one whose body is on its way: for transports that cannot stream.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).map { HTTPStreamedResponse($0, body: HTTPBodyStream($0.body)) }
    }
}

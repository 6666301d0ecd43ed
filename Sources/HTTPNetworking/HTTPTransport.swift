public import PledgeFutures
public import PledgeServices

/// A transport sends requests to servers, and returns whole or streamed responses.
///
/// The rest of the package uses only a transport's two functions: `transport.send` is an ``HTTPService``, and
/// `transport.stream` an ``HTTPStreamingService``. Both return the server's response, whatever its status, and follow
/// no redirects. Code that needs both functions takes a transport, as in `HTTPClient(base: server, over: transport)`.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns a future of the whole response.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse>

    /// Sends a request, and returns a future that settles when the response's headers have arrived.
    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse>
}

extension HTTPTransport {
    /// Sends a request, and returns its whole response as a stream, for transports that cannot stream.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).map { HTTPStreamedResponse($0, body: HTTPBodyStream($0.body)) }
    }
}

/// A function from a request to a future of the whole response.
///
/// ```swift
/// let service: HTTPService = SessionTransport().send
/// let api: Networking = makeNetworking(over: service, base: server)
/// ```
///
/// It is the second level of a network: a ``Networking`` takes endpoints, and an `HTTPService` below it takes
/// requests.
///
/// The future resolves with the server's response, whatever its status. It rejects with ``HTTPRequest/Error`` if
/// the request cannot be sent, with ``HTTPError`` if no complete response arrives, and with `CancellationError`
/// if the call is cancelled. Use `.acceptStatus()` or `makeNetworking(over:base:accepting:)` to turn a status
/// into an error.
public typealias HTTPService = Service<HTTPRequest, HTTPResponse>

/// A function from a request to a future of a response with a streamed body.
///
/// The future resolves when the headers have arrived. It rejects with the same errors as an ``HTTPService``. If the
/// exchange fails after that, reading the body fails.
public typealias HTTPStreamingService = Service<HTTPRequest, HTTPStreamedResponse>

public import PledgeFutures
public import PledgeHTTPMessages
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
/// It is the second level of a network: a `Networking` takes endpoints, and an `HTTPService` below it takes
/// requests.
///
/// The future resolves with the server's response, whatever its status. It rejects with `Endpoint.Error` if
/// the request cannot be sent, with `HTTPError` if no complete response arrives, and with `CancellationError`
/// if the call is cancelled. Use `.acceptStatus()` or `makeNetworking(over:base:accepting:)` to turn a status
/// into an error.
public typealias HTTPService = Service<HTTPRequest, HTTPResponse>

/// A function from a request to a future of a response with a streamed body.
///
/// The future resolves when the headers have arrived. It rejects with the same errors as an ``HTTPService``. If the
/// exchange fails after that, reading the body fails.
public typealias HTTPStreamingService = Service<HTTPRequest, HTTPStreamedResponse>

extension CallContext {
    /// Sends a request, and notes the request and its fate in the attempt's record.
    ///
    /// A transport of your own calls this method, so that a policy above the transport knows which requests left the
    /// process:
    ///
    /// ```swift
    /// let send: HTTPService = { request in
    ///     CallContext.current.exchange(request) { connection.send(request) }
    /// }
    /// ```
    ///
    /// If the answer is 401, 407, 421, 425, 307 or 308, the request counts as refused. If the call fails without an
    /// answer, and the error says that no request went out, as `HTTPError.Code.cannotConnect` does, the request counts
    /// as not sent.
    ///
    /// - Parameters:
    ///   - request: An `HTTPRequest` or an `Endpoint`.
    ///   - send: Sends the request. Called at most once, before this function returns.
    /// - Returns: The future that `send` returns. If the request may not be sent, a future that rejects with
    ///   `ServiceError.Code.superseded`.
    public func exchange<Output: Sendable>(
        _ request: some Replayable, by send: () -> Future<Output>
    ) -> Future<Output> {
        sending(request, fate: { CallRecord.Fate(of: $0) }, by: send)
    }
}

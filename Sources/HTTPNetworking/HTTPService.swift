public import Services

/// The second level of a network: a function from a request to a future of the whole response.
///
/// ```swift
/// let service: HTTPService = SessionTransport().send
/// let api: Networking = makeNetworking(over: service, base: server)
/// ```
///
/// The future resolves with whatever the server answered, of any status. It rejects with
/// ``HTTPRequest/Error`` where the request cannot be sent, with ``HTTPError`` where no whole answer
/// came, and with `CancellationError` where the call was cancelled. A status becomes an error in
/// `.acceptStatus()` or in `makeNetworking(over:base:accepting:)`.
public typealias HTTPService = Service<HTTPRequest, HTTPResponse>

/// A function from a request to a future of a response whose body is still on its way.
///
/// The future resolves when the headers have come. What an ``HTTPService`` says of errors holds here
/// too; a failure after the headers is the body's.
public typealias HTTPStreamingService = Service<HTTPRequest, HTTPStreamedResponse>

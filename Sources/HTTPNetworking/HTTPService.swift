public import PledgeServices

/// The second level of a network: a function from a request to a future of the whole response.
///
/// ```swift
/// let service: HTTPService = SessionTransport().send
/// let api: Networking = makeNetworking(over: service, base: server)
/// ```
///
/// The future resolves with the server's answer, of any status. It rejects with ``HTTPRequest/Error`` if the
/// request cannot be sent, with ``HTTPError`` if no complete answer arrives, and with `CancellationError` if
/// the call is cancelled. A status becomes an error in `.acceptStatus()` or in
/// `makeNetworking(over:base:accepting:)`.
public typealias HTTPService = Service<HTTPRequest, HTTPResponse>

/// A function from a request to a future of a response with a streamed body.
///
/// The future resolves when the headers have arrived. It rejects as that of an ``HTTPService``; a failure
/// after the headers is a failure of the body.
public typealias HTTPStreamingService = Service<HTTPRequest, HTTPStreamedResponse>

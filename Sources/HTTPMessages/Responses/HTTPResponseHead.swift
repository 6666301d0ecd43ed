public import PledgeFutures
import PledgeHTTPText

/// The common part of whole and streamed responses.
///
/// Middleware that uses only the status and the headers can serve both. Declare it in
/// `extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead`.
public protocol HTTPResponseHead: Sendable {
    /// The status code, such as 200 or 404.
    var status: Int { get set }

    /// The headers, in order of arrival.
    var headers: HTTPHeaders { get set }

    /// The URL that answered, after any redirects; nil if it is unknown.
    var url: URL? { get set }

    /// The duration of the exchange, and its steps.
    var timing: HTTPTiming { get set }

    /// The request as it was sent; see ``HTTPResponse/request``.
    var request: HTTPRequest? { get set }

    /// The body if it has arrived completely; nil for a streamed body.
    var receivedBody: Data? { get }

    /// The stream of a streamed body; nil for a whole body.
    ///
    /// For a whole body, setting this property has no effect.
    var bodyStream: HTTPBodyStream? { get set }

    /// Declares that nothing will read the body, so that its connection can be reused or closed.
    func discardBody()

    /// Collects the body, and returns the whole response.
    ///
    /// - Parameter limit: The largest size of a streamed body, in bytes.
    /// - Returns: A future of the response. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyTooLarge`` if a streamed body is larger, and with the body's own error if reading it
    ///   fails. A whole body is returned, whatever its size.
    func collected(upTo limit: Int) -> Future<HTTPResponse>
}

extension HTTPResponseHead {
    /// Nil by default, for a type that keeps no request.
    public var request: HTTPRequest? {
        get { nil }
        set {}
    }

    /// Empty by default, or nil if there is a stream.
    public var receivedBody: Data? { bodyStream == nil ? Data() : nil }

    /// Nil by default.
    public var bodyStream: HTTPBodyStream? {
        get { nil }
        set {}
    }

    /// The response without its body.
    package var head: HTTPResponse {
        HTTPResponse(
            status: status, headers: headers, url: url, timing: timing, request: request)
    }

    /// The headers, without the known secrets of the exchange.
    package var shownHeaders: String {
        headers.description(without: KnownSecrets(of: request, nil, head))
    }
}

extension HTTPResponse: HTTPResponseHead {
    /// The body.
    public var receivedBody: Data? { body }

    /// Does nothing, because the body is whole.
    public func discardBody() {}

    /// Returns the response itself.
    public func collected(upTo limit: Int) -> Future<HTTPResponse> { Future(value: self) }
}

extension HTTPResponseHead {
    /// Returns the whole response; without its body if the body is too large or too slow, or fails.
    package func kept(on scheduler: some FutureScheduler = .live) -> Future<HTTPResponse> {
        let head = head
        return collected(upTo: 65_536).timeout(.errorBody, on: scheduler).recover { _ in head }
    }
}

extension Duration {
    /// The time limit for reading an error's body, short because the caller waits for the error meanwhile.
    package static let errorBody = Duration.seconds(1)
}

extension HTTPResponseHead {
    /// Returns the response with a request, unless it already has one.
    package func withRequest(_ request: HTTPRequest) -> Self {
        var response = self
        response.request = response.request ?? request.withoutJar
        return response
    }
}

extension Error {
    /// Returns the error with a request, if it is an ``HTTPError`` that has none.
    package func withRequest(_ request: HTTPRequest) -> any Error {
        guard var error = self as? HTTPError else { return self }
        let sent = error.request ?? error.response?.request ?? request.withoutJar
        error.request = sent
        error.response = error.response?.withRequest(sent)
        return error
    }
}

public import PledgeFutures

/// The common part of whole responses and of streamed ones.
///
/// Middleware that uses only status and headers is written once for both:
/// `extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead`.
public protocol HTTPResponseHead: Sendable {
    /// The status code, such as 200 or 404.
    var status: Int { get set }

    /// The headers, in the order in which they arrived.
    var headers: HTTPHeaders { get set }

    /// The URL that answered, the last one if redirects were followed; nil if it is not known.
    var url: URL? { get set }

    /// How long it took.
    var timing: HTTPTiming { get set }

    /// The request as it was sent; see ``HTTPResponse/request``.
    var request: HTTPRequest? { get set }

    /// The body, if it has arrived completely; nil for a streamed body.
    var receivedBody: Data? { get }

    /// The stream of the body; nil for a whole body, and then nothing sets it.
    var bodyStream: HTTPBodyStream? { get set }

    /// Declares that the body will not be read, so that its connection can be reused or closed.
    func discardBody()

    /// The whole response, its body collected.
    ///
    /// - Parameter limit: How many bytes the body may have.
    /// - Returns: A future of the response. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyTooLarge`` if a streamed body has more, and with the error of the body. A whole
    ///   body is returned, whatever its size.
    func collected(upTo limit: Int) -> Future<HTTPResponse>
}

extension HTTPResponseHead {
    /// Nil, for a conformance that keeps no request.
    public var request: HTTPRequest? {
        get { nil }
        set {}
    }

    /// The default for a conformance without an accessible body.
    public var receivedBody: Data? { bodyStream == nil ? Data() : nil }

    /// No stream.
    public var bodyStream: HTTPBodyStream? {
        get { nil }
        set {}
    }

    /// Everything except the body.
    package var head: HTTPResponse {
        HTTPResponse(
            status: status, headers: headers, url: url, timing: timing, request: request)
    }

    /// The headers without known secrets of the exchange.
    package var shownHeaders: String {
        headers.description(without: KnownSecrets(of: request, nil, head))
    }
}

extension HTTPResponse: HTTPResponseHead {
    /// The body.
    public var receivedBody: Data? { body }

    /// Does nothing: the body is whole.
    public func discardBody() {}

    /// Itself.
    public func collected(upTo limit: Int) -> Future<HTTPResponse> { Future(value: self) }
}

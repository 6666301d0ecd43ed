public import Futures

/// What both kinds of response have: a whole one, and one whose body is on its way.
///
/// Middleware that looks at status and headers is written once, for either:
/// `extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead`.
public protocol HTTPResponseHead: Sendable {
    /// The status code, such as 200 or 404.
    var status: Int { get set }

    /// The headers, in the order in which they came.
    var headers: HTTPHeaders { get set }

    /// The URL that answered, the last one if redirects were followed; nil if it is not known.
    var url: URL? { get set }

    /// How long it took.
    var timing: HTTPTiming { get set }

    /// The request as it was sent; see ``HTTPResponse/request``.
    var request: HTTPRequest? { get set }

    /// The body, where all of it has come; nil while it is on its way.
    var receivedBody: Data? { get }

    /// The stream that the body comes by; nil where all of it has come, and then nothing sets it.
    var bodyStream: HTTPBodyStream? { get set }

    /// Says that the body will not be read, so that its connection can be used otherwise.
    func discardBody()

    /// The whole response, its body gathered.
    ///
    /// - Parameter limit: How many bytes the body may have.
    /// - Returns: A future of the response. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/bodyTooLarge`` where a body on its way has more, and with what fails it. A
    ///   body that is there already is given, whatever its size.
    func gathered(upTo limit: Int) -> Future<HTTPResponse>
}

extension HTTPResponseHead {
    /// Nothing is known: for a conformance that keeps no request.
    public var request: HTTPRequest? {
        get { nil }
        set {}
    }

    /// Nothing has come: for a conformance that keeps its body to itself.
    public var receivedBody: Data? { bodyStream == nil ? Data() : nil }

    /// Nothing is on its way.
    public var bodyStream: HTTPBodyStream? {
        get { nil }
        set {}
    }

    /// All but the body.
    package var head: HTTPResponse {
        HTTPResponse(
            status: status, headers: headers, url: url, timing: timing, request: request)
    }

    /// The headers without what is known to be a secret of the exchange.
    package var shownHeaders: String {
        headers.description(without: KnownSecrets(of: request, nil, head))
    }
}

extension HTTPResponse: HTTPResponseHead {
    /// The body.
    public var receivedBody: Data? { body }

    /// Does nothing: the body is there.
    public func discardBody() {}

    /// Itself.
    public func gathered(upTo limit: Int) -> Future<HTTPResponse> { Future(value: self) }
}

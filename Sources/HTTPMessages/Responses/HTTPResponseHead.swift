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
}

extension HTTPResponseHead {
    /// The body if it has arrived completely; nil for a streamed body.
    package var receivedBody: Data? { (self as? HTTPResponse)?.body }

    /// The stream of a streamed body; nil for a whole body, and setting it then has no effect.
    package var bodyStream: HTTPBodyStream? {
        get { (self as? HTTPStreamedResponse)?.body }
        set {
            guard let newValue, var response = self as? HTTPStreamedResponse else { return }
            response.body = newValue
            if let response = response as? Self { self = response }
        }
    }

    /// Declares that nothing will read the body, so that its connection can be reused or closed.
    package func discardBody() { bodyStream?.cancel() }

    /// Collects a streamed body, and returns the whole response.
    package func collected(upTo limit: Int) -> Future<HTTPResponse> {
        if let response = self as? HTTPStreamedResponse { return response.collected(upTo: limit) }
        return Future(value: self as? HTTPResponse ?? head)
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

extension HTTPResponse: HTTPResponseHead {}

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

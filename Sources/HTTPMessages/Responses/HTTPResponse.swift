public import PledgeFutures
import PledgeHTTPText

/// A server's response: a status, headers, and a body.
///
/// Two responses are equal if their status, headers, body and URL are equal; timing and request are not compared.
public struct HTTPResponse: Sendable {
    /// The status code, such as 200 or 404.
    public var status: Int

    /// The headers, in order of arrival.
    public var headers: HTTPHeaders

    /// The body; empty if there was none.
    public var body: Data

    /// The URL that answered, after any redirects; nil if it is unknown.
    public var url: URL?

    /// The duration of the exchange, and its steps.
    public var timing: HTTPTiming

    /// The request as it was sent, with the additions of all middleware; nil if it is unknown.
    ///
    /// For a response from a cache, this is the request of the current call, not the one whose response was stored.
    /// `==` ignores the request, and caches do not store it.
    public var request: HTTPRequest? {
        get { boxed?.request }
        set { boxed = newValue.map(BoxedRequest.init) }
    }

    package var boxed: BoxedRequest?

    /// How the nearest `HTTPCache` has answered the request; nil without one.
    package var nearestCacheStatus: HTTPCacheStatus?

    /// True if the response has a request; the request is not copied to find out.
    package var hasRequest: Bool { boxed != nil }

    /// Creates a response.
    public init(
        status: Int, headers: HTTPHeaders = [:], body: Data = Data(), url: URL? = nil,
        timing: HTTPTiming = HTTPTiming(), request: HTTPRequest? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.timing = timing
        boxed = request.map(BoxedRequest.init)
    }

    /// The body as UTF-8, with U+FFFD for each part that is not valid UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the body if the status is in 200…299.
    ///
    /// A transport that calls this method fails with the same error as the transports of this package.
    ///
    /// - Parameter endpoint: The endpoint that the error keeps, if there is one.
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus`` that keeps the whole response and
    ///   its ``request``.
    public func acceptedBody(for endpoint: Endpoint? = nil) throws(HTTPError) -> Data {
        guard (200...299).contains(status) else { throw refused(for: endpoint) }
        return body
    }

    /// Returns the error for a status that is not accepted.
    package func refused(for endpoint: Endpoint?) -> HTTPError {
        var response = self
        response.request = request ?? endpoint.flatMap { try? HTTPRequest($0) }
        return HTTPError(code: .unacceptableStatus, endpoint: endpoint, response: response)
    }
}

extension HTTPResponse: DescriptionOnly {
    /// The status, the headers and the size of the body, without secrets and without the body's content.
    public var description: String { description(without: KnownSecrets(of: request, nil, self)) }

    func description(without secrets: KnownSecrets) -> String {
        "\(status), \(headers.description(without: secrets)), body of \(body.count) bytes"
    }
}

extension HTTPResponse: Hashable {
    /// Returns whether status, headers, body and URL are equal.
    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.status == right.status && left.headers == right.headers && left.body == right.body
            && left.url == right.url
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        status.hash(into: &hasher)
        headers.hash(into: &hasher)
        body.hash(into: &hasher)
        url.hash(into: &hasher)
    }
}

/// A server's response with a streamed body.
///
/// The body can be read once. Releasing the response cancels the unread rest of the body.
public struct HTTPStreamedResponse: Sendable {
    /// The status code, such as 200 or 404.
    public var status: Int

    /// The headers, in order of arrival.
    public var headers: HTTPHeaders

    /// The URL that answered, after any redirects; nil if it is unknown.
    public var url: URL?

    /// The duration of the exchange, and its steps.
    public var timing: HTTPTiming

    /// The request as it was sent; see ``HTTPResponse/request``.
    public var request: HTTPRequest?

    /// The body, chunk by chunk.
    public var body: HTTPBodyStream

    /// Creates a response.
    public init(
        status: Int, headers: HTTPHeaders = [:], body: HTTPBodyStream, url: URL? = nil,
        timing: HTTPTiming = HTTPTiming(), request: HTTPRequest? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.timing = timing
        self.request = request?.withoutJar
    }

    /// Creates a response from a body and the other parts.
    package init(_ head: HTTPResponse, body: HTTPBodyStream) {
        self.init(
            status: head.status, headers: head.headers, body: body, url: head.url,
            timing: head.timing, request: head.request)
    }
}

extension HTTPStreamedResponse: HTTPResponseHead {
    /// Cancels the body, because nothing will read it.
    public func discardBody() { body.cancel() }

    /// Collects the body, and returns the whole response; see ``HTTPBodyStream/collected(upTo:)``.
    public func collected(upTo limit: Int) -> Future<HTTPResponse> {
        let head = head
        return body.collected(upTo: limit).mapWithoutOrigin { data in
            var response = head
            response.body = data
            return response
        }
    }
}

extension HTTPStreamedResponse: DescriptionOnly {
    /// The status and the headers, without the body.
    public var description: String { "\(status), \(shownHeaders), body on its way" }
}

/// A request in an object, so that each middleware that copies a response copies only a reference.
package final class BoxedRequest: Sendable {
    let request: HTTPRequest

    package init(_ request: HTTPRequest) { self.request = request.withoutJar }
}

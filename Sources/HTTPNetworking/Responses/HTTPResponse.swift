/// A response of a server: a status, headers, and a body.
///
/// Two responses are equal if status, headers, body and URL are equal; timing and request are not compared.
public struct HTTPResponse {
    /// The status code, such as 200 or 404.
    public var status: Int

    /// The headers, in the order in which they arrived.
    public var headers: HTTPHeaders

    /// The body; empty if there was none.
    public var body: Data

    /// The URL that answered, the last one if redirects were followed; nil if it is not known.
    public var url: URL?

    /// How long it took.
    public var timing: HTTPTiming

    /// The request as it was sent, with the additions of all middleware; nil if it is not known.
    ///
    /// For a response from a cache it is the request of this call, not the one whose answer was stored. It is
    /// neither compared nor stored.
    public var request: HTTPRequest? {
        get { boxed?.request }
        set { boxed = newValue.map(BoxedRequest.init) }
    }

    var boxed: BoxedRequest?

    /// Whether it has a request, without a copy of it.
    var isNamed: Bool { boxed != nil }

    /// Makes a response.
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

    /// The body read as UTF-8, with U+FFFD for each part that is not valid UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body, if the status is in 200…299.
    ///
    /// Every transport uses this, so that all of them reject in the same way.
    ///
    /// - Parameter endpoint: The endpoint, if there was one, for the error to keep.
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus`` that keeps
    ///   the whole response, and its ``request``.
    public func acceptedBody(for endpoint: Endpoint? = nil) throws(HTTPError) -> Data {
        guard (200...299).contains(status) else { throw refused(for: endpoint) }
        return body
    }

    /// The error of a status that is not accepted.
    func refused(for endpoint: Endpoint?) -> HTTPError {
        var response = self
        response.request = request ?? endpoint.flatMap { try? HTTPRequest($0) }
        return HTTPError(code: .unacceptableStatus, endpoint: endpoint, response: response)
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size of the body, without its content.
    public var description: String { description(without: KnownSecrets(of: request, nil, self)) }

    /// The same without the secrets of the exchange.
    func description(without secrets: KnownSecrets) -> String {
        "\(status), \(headers.description(without: secrets)), body of \(body.count) bytes"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the size of the body instead of the body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["status": status, "headers": shownHeaders, "bodyBytes": body.count])
    }
}

extension HTTPResponse: Hashable {
    /// Whether status, headers, body and URL are equal.
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

extension HTTPResponse: Sendable {}

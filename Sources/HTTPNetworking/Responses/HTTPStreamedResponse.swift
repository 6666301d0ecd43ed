public import PledgeFutures

/// A response of a server with a streamed body.
///
/// The body can be read once. When the response is released, an unread rest of the body is given up.
public struct HTTPStreamedResponse {
    /// The status code, such as 200 or 404.
    public var status: Int

    /// The headers, in the order in which they arrived.
    public var headers: HTTPHeaders

    /// The URL that answered, the last one if redirects were followed; nil if it is not known.
    public var url: URL?

    /// How long it took.
    public var timing: HTTPTiming

    /// The request as it was sent; see ``HTTPResponse/request``.
    public var request: HTTPRequest?

    /// The body, chunk by chunk.
    public var body: HTTPBodyStream

    /// Makes a response.
    public init(
        status: Int, headers: HTTPHeaders = [:], body: HTTPBodyStream, url: URL? = nil,
        timing: HTTPTiming = HTTPTiming(), request: HTTPRequest? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.timing = timing
        self.request = request
    }

    /// Makes a response from the parts except the body, and a body.
    package init(_ head: HTTPResponse, body: HTTPBodyStream) {
        self.init(
            status: head.status, headers: head.headers, body: body, url: head.url,
            timing: head.timing, request: head.request)
    }
}

extension HTTPStreamedResponse: HTTPResponseHead {
    /// The body.
    public var bodyStream: HTTPBodyStream? {
        get { body }
        set { if let newValue { body = newValue } }
    }

    /// Cancels the body.
    public func discardBody() { body.cancel() }

    /// The whole response, its body collected; see ``HTTPBodyStream/collected(upTo:)``.
    public func collected(upTo limit: Int) -> Future<HTTPResponse> {
        let head = head
        return body.collected(upTo: limit).mapWithoutOrigin { data in
            var response = head
            response.body = data
            return response
        }
    }
}

extension HTTPStreamedResponse: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The status and the headers, without the body.
    public var description: String { "\(status), \(shownHeaders), body on its way" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows no body.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "headers": shownHeaders])
    }
}

extension HTTPStreamedResponse: Sendable {}

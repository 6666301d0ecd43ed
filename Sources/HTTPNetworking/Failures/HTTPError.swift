import PledgeServices

/// The error of a failed exchange: the failure, the request, and the answer, if there is one.
///
/// Its text is like `GET https://api.example.com/products/7 answered 404 (53 bytes of
/// application/json in its body): {"error":"sold
/// out","account":"…"}`. It shows no userinfo, no query values and no header values except the
/// Content-Type; it shows the body as ``bodyPreview(upTo:)`` does. Read ``body`` for all of it.
public struct HTTPError: Error {
    /// How the exchange failed.
    public var code: Code

    /// What was asked for.
    public var endpoint: Endpoint?

    /// The request of the second level, as it was passed to the transport.
    public var request: HTTPRequest?

    /// The answer, if there was one; after a failure of the transport, the part that had arrived.
    public var response: HTTPResponse?

    /// The error below this one.
    ///
    /// The text shows only the type and the code of most causes, because a cause may contain secrets.
    public var cause: (any Error)?

    /// The reason in a few words without secrets, such as "the certificate has expired".
    public var reason: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: How the exchange failed.
    ///   - endpoint: The endpoint.
    ///   - request: The request of the second level. If the response has the request as it was
    ///     sent, the error keeps that request.
    ///   - response: The answer, if there was one, or the part that had arrived.
    ///   - cause: The error below this one.
    ///   - reason: The reason in a few words. They are part of the text and must contain no secrets.
    public init(
        code: Code,
        endpoint: Endpoint? = nil,
        request: HTTPRequest? = nil,
        response: HTTPResponse? = nil,
        cause: (any Error)? = nil,
        reason: String? = nil
    ) {
        self.code = code
        self.endpoint = endpoint
        let sent = response?.request ?? request
        self.request = sent
        self.response = sent.flatMap { response?.naming($0) } ?? response
        self.cause = cause
        self.reason = reason
    }

    /// The status of the answer, if there was one.
    public var status: Int? { response?.status }

    /// The headers of the answer; none without an answer.
    public var headers: HTTPHeaders { response?.headers ?? [:] }

    /// The body of the answer, or the part that had arrived; empty without an answer.
    public var body: Data { response?.body ?? Data() }
}

extension HTTPError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request and the failure, without secrets.
    public var description: String {
        let subject = shownSubject
        var text = "\(subject) failed: \(code)"
        if code == .unacceptableStatus, let status { text = "\(subject) answered \(status)" }
        var secrets: KnownSecrets?
        if let response, !response.body.isEmpty {
            let known = knownSecrets
            secrets = known
            let type = known.shownType(of: response).map(SafeText.escaped)
            text += " (\(response.body.count) bytes\(type.map { " of \($0)" } ?? "") in its body)"
        }
        if let shownCause { text += " (cause: \(shownCause))" }
        guard let preview = preview(without: secrets, upTo: 300) else { return text }
        return "\(text): \(preview)"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the parts, each without secrets.
    public var customMirror: Mirror {
        let named = request.flatMap { response?.naming($0) } ?? response
        let secrets = knownSecrets
        return Mirror(
            self,
            children: [
                "code": code, "endpoint": endpoint as Any, "request": request as Any,
                "response": named.map { secrets.scrubbed($0.description(without: secrets)) } as Any,
                "cause": shownCause as Any,
            ]
        )
    }

    /// The request, and the last sent request if it had another URL.
    private var shownSubject: String {
        guard let endpoint else { return request?.description ?? "a request" }
        guard let url = endpoint.url, let request, !request.url.isSamePlace(as: url) else {
            return endpoint.description
        }
        return "\(endpoint), sent as \(request),"
    }

    /// The reason, or the part of the cause that may be shown.
    private var shownCause: String? {
        switch cause {
        case _ where reason != nil: reason
        case let cause as any ShownCause: "\(cause)"
        case let cause as any CodedError: "\(type(of: cause)): \(cause.loggedCode)"
        default: cause.map { "\(type(of: $0))" }
        }
    }
}

extension URL {
    /// Whether it has the same origin and path, with any query.
    fileprivate func isSamePlace(as other: URL) -> Bool {
        HTTPOrigin(self) == HTTPOrigin(other) && targetPath == other.targetPath
    }

    private var targetPath: Substring? { requestTarget?.prefix { $0 != "?" } }
}

public import PledgeFutures
public import PledgeHTTPText
public import PledgeServices

/// A failed exchange: the failure, the request, and the response, if there is one.
///
/// Its text is one line, like this one:
///
/// ```text
/// GET https://api.example.com/products/7 answered 404 (53 bytes of
/// application/json in its body): {"error":"sold out","account":"…"}
/// ```
///
/// The text shows no userinfo, no query values, and no headers except the Content-Type. It shows the same part of the
/// body as ``bodyPreview(upTo:)``. Read ``body`` for the whole body.
public struct HTTPError: Error {
    /// The kind of failure.
    public var code: Code

    /// The endpoint that the app asked for.
    public var endpoint: Endpoint?

    /// The request, as it was passed to the transport.
    public var request: HTTPRequest?

    /// The response, if there was one.
    ///
    /// If the transport failed midway, this is the part that had arrived.
    public var response: HTTPResponse?

    /// The underlying error.
    ///
    /// For most causes, the error's text shows only the type and the code, because a cause may contain secrets.
    public var cause: (any Error)?

    /// The reason in a few words without secrets, such as "the certificate has expired".
    public var reason: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - endpoint: The endpoint.
    ///   - request: The request. If the response contains the request as it was sent, the error keeps that request
    ///     instead.
    ///   - response: The response, if there was one, or the part that had arrived.
    ///   - cause: The underlying error.
    ///   - reason: The reason in a few words. The error's text contains these words, so they must contain no secrets.
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
        let sent = response?.request ?? request?.withoutJar
        self.request = sent
        self.response = sent.flatMap { response?.withRequest($0) } ?? response
        self.cause = cause
        self.reason = reason
    }

    /// The response's status, if there was a response.
    public var status: Int? { response?.status }

    /// The response's headers; empty without a response.
    public var headers: HTTPHeaders { response?.headers ?? [:] }

    /// The response's body, or the part that had arrived; empty without a response.
    public var body: Data { response?.body ?? Data() }
}

extension HTTPError {
    /// The beginning of the response's body for a log, in one line and without secrets.
    ///
    /// | Body | What is shown |
    /// |---|---|
    /// | JSON, by its type or by its looks | The names and the structure; also a string or a number whose name says that it is about an error: `error`, `message`, `code`, `status`, `title`, `detail`, `type`, `reason`, `description`, `instance`, and the like. |
    /// | a form, by its type or by its looks | The names. |
    /// | plain text, HTML | The text; control characters as escapes. |
    /// | anything else | Nothing. |
    ///
    /// Known secrets are removed from the shown text:
    ///
    /// - userinfo, and the values of the query
    /// - the values of all headers that are not known to be harmless
    /// - the values of the body that was sent
    /// - values that the table hides in one place of the response, if they also occur in another
    /// - values after a name like "token"
    /// - runs of 20 or more letters and digits
    ///
    /// A secret is found in upper and lower case, percent-encoded, and with the escapes of JSON and HTML, but
    /// not in Base64, in hexadecimal digits or as `\x41`. Values of fewer than four bytes, and words like
    /// "true", stay.
    ///
    /// In plain text, a short secret is shown if it was not sent and doesn't follow a name like "token".
    ///
    /// The body that was sent can be searched for secrets only if it is JSON, a form, or a multipart body of fields,
    /// JSON and forms, and has at most 64 KiB. For any other sent body, such as a file, a stream or a text, less of the
    /// response is shown: of JSON, only the structure and the names that the table lists; of anything else, nothing.
    /// This also holds if the error knows no request, and for an incomplete response.
    ///
    /// - Parameter limit: The most characters to show; "…" follows if the text is longer.
    /// - Returns: The text; nil if no part of the body may be shown.
    public func bodyPreview(upTo limit: Int = 300) -> String? { preview(without: nil, upTo: limit) }

    package var knownSecrets: KnownSecrets {
        var secrets = KnownSecrets(of: request, endpoint, response)
        // Without the request, the sent secrets are not known, and the response may repeat any of them.
        if request == nil, endpoint == nil, response?.request == nil { secrets.isMissingSome() }
        return secrets
    }

    func preview(without secrets: KnownSecrets?, upTo limit: Int) -> String? {
        guard let response, !response.body.isEmpty else { return nil }
        var secrets = secrets ?? knownSecrets
        // In an incomplete body, a secret may be cut in two, and would not be found.
        if !isWhole { secrets.isMissingSome() }
        return BodyPreview.text(
            of: response.body, contentType: response.headers["Content-Type"],
            without: secrets, harmless: .ofErrors, upTo: limit)
    }

    /// True if the response's body is complete.
    ///
    /// If the transport fails midway, the error keeps only the part that arrived.
    private var isWhole: Bool {
        switch code {
        case .unacceptableStatus: cause == nil
        case .tooManyRedirects, .tokenRefreshFailed, .signInNeeded, .sessionEnded: true
        default: false
        }
    }
}

extension Error {
    /// True if an attempt, a call, a future or a transport exceeded its time limit.
    ///
    /// ```swift
    /// if error.isTimeout { show("The server is slow. Try again.") }
    /// ```
    ///
    /// True for a `ServiceError` with the code `timedOut` or `deadlineExceeded`, for an ``HTTPError`` with the code
    /// ``HTTPError/Code/timedOut``, and for a `FutureError` with the code `timedOut`. False for a refusal, for example
    /// by a bulkhead whose queue is full, because the call was not made.
    public var isTimeout: Bool {
        switch self {
        case let error as HTTPError: error.code == .timedOut
        case let error as ServiceError: error.code == .timedOut || error.code == .deadlineExceeded
        case let error as FutureError: error.code == .timedOut
        default: false
        }
    }
}

extension HTTPError: DescriptionOnly, DescribedError, CodedError {
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

    /// The endpoint, or the request if there is no endpoint.
    ///
    /// If the request's origin or path differs from the endpoint's, both are shown.
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

    /// The status if it was not accepted; otherwise the raw value of the code.
    public var loggedCode: String {
        guard code == .unacceptableStatus, let status else { return code.rawValue }
        return "\(status)"
    }
}

extension URL {
    fileprivate func isSamePlace(as other: URL) -> Bool {
        HTTPOrigin(self) == HTTPOrigin(other) && targetPath == other.targetPath
    }

    private var targetPath: Substring? { requestTarget?.prefix { $0 != "?" } }
}

/// An error whose text has no secrets, so that an ``HTTPError`` with this cause shows the text.
package protocol ShownCause: Error, CustomStringConvertible {}

extension ServiceError: DescribedError {}
extension FutureError: DescribedError {}

package import PledgeHTTPMessages
import PledgeServices

/// A time limit that an exchange exceeded, for an error's text.
package enum TimeLimit {
    /// No bytes were sent or received for this long.
    case idle(Duration)
    /// No connection was made within this time.
    case connect(Duration)
    /// No connection was free, and none could be made, within this time.
    case freeConnection(Duration)
    /// The call's deadline passed, this long after the call was made.
    ///
    /// The second duration is the time that the request waited for a free connection; nil if it doesn't wait any more.
    case deadline(after: Duration, waiting: Duration? = nil)
    /// The body of an error did not arrive in full within this time.
    case errorBody(Duration)

    /// The error's cause, if the service is not to blame; otherwise nil.
    ///
    /// The service is not to blame for a deadline, which the caller chose, or for a wait for a free connection, during
    /// which the request was not sent.
    fileprivate var cause: ServiceError? {
        switch self {
        case .deadline(let time, _):
            ServiceError(.deadlineExceeded, policy: "transport", limit: time)
        case .freeConnection(let time):
            ServiceError(.queueTimedOut, policy: "transport", limit: time)
        case .idle, .connect, .errorBody: nil
        }
    }

    /// The limit in words.
    package var words: String {
        switch self {
        case .idle(let time): "the idle limit of \(time.inWords)"
        case .connect(let time): "the connect limit of \(time.inWords)"
        case .freeConnection(let time): "the limit of \(time.inWords) for a free connection"
        case .deadline(let time, nil): "the deadline, after \(time.inWords)"
        case .deadline(let time, let wait?):
            "the deadline, after \(time.inWords); it waited \(wait.inWords) for a free connection"
        case .errorBody(let time): "the limit of \(time.inWords) for an error's body"
        }
    }
}

extension HTTPError {
    /// Creates the error for a transport's time limit that an exchange exceeded.
    ///
    /// - Parameter cause: The transport's own error. It is ignored for a deadline, and for the wait for a free
    ///   connection.
    package init(
        _ limit: TimeLimit, endpoint: Endpoint? = nil, request: HTTPRequest? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(
            code: .timedOut, endpoint: endpoint, request: request, cause: limit.cause ?? cause,
            reason: limit.words)
    }
}

/// The reason why no secure connection could be made, in this package's own words.
package enum TLSFailureReason {
    /// The reason in the error text of a TLS library: OpenSSL, BoringSSL, libcurl, or SwiftNIO.
    ///
    /// - Returns: Nil if the reason is not known. The library's text is not shown, because it may contain
    ///   secrets.
    package static func reason(in text: String) -> String? {
        let text = text.lowercased()
        return reasons.first { words, _ in words.contains { text.contains($0) } }?.reason
    }

    /// The first match is used, so the least specific words are last.
    private static let reasons: [(words: [String], reason: String)] = [
        (["pinned"], "the server has none of the pinned keys"),
        (["not yet valid"], "the certificate is not valid yet"),
        (["expired"], "the certificate has expired"),
        (
            [
                "hostname", "subject name", "does not match", "doesn't match",
                "no alternative cert",
            ], "the certificate is for another host"
        ),
        (
            ["self-signed", "self signed", "issuer", "unknown_ca", "unknown ca"],
            "the certificate's authority is unknown"
        ),
        (
            ["certificate_required", "certificate required", "bad_certificate", "bad certificate"],
            "the server asks for a client's certificate, or refuses it"
        ),
        (
            [
                "certificate_verify_failed", "unabletovalidate", "certificate verif",
                "certificate problem",
            ],
            "the certificate is not trusted: its authority is unknown, or its time is over"
        ),
        (
            ["wrong_version_number", "wrong version", "unsupported_protocol", "protocol_version"],
            "the server speaks no TLS, or no version of it that is accepted"
        ),
        (["handshake", "eof"], "the handshake failed"),
    ]
}

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
    /// `waiting` is the time for which it had waited for a free connection; nil if it had one.
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

import PledgeServices

/// The exceeded time limit of an exchange, for an error's text.
package enum TimeLimit {
    /// No bytes were sent or received for this time.
    case idle(Duration)
    /// No connection was made within this time.
    case connect(Duration)
    /// No connection was free, and none could be made, within this time.
    case freeConnection(Duration)
    /// The call's deadline passed this time after the call was made.
    case deadline(after: Duration)
    /// The body of an error was not complete within this time.
    case errorBody(Duration)

    /// What it says about the service: nothing, if the caller's time was over, or if the request was not sent.
    fileprivate var cause: ServiceError? {
        switch self {
        case .deadline(let time):
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
        case .deadline(let time): "the deadline, after \(time.inWords)"
        case .errorBody(let time): "the limit of \(time.inWords) for an error's body"
        }
    }
}

extension HTTPError {
    /// The error of a transport's time limit.
    ///
    /// - Parameter cause: The transport's own error, if the limit says nothing else about the service.
    package init(
        _ limit: TimeLimit, endpoint: Endpoint? = nil, request: HTTPRequest? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(
            code: .timedOut, endpoint: endpoint, request: request, cause: limit.cause ?? cause,
            reason: limit.words)
    }
}

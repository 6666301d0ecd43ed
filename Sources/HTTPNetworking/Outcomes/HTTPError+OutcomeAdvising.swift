public import Services

extension HTTPError: OutcomeAdvising {
    /// What the error means to the policies: retry, hedge, circuit breaker, fallback.
    ///
    /// | Code | Outcome |
    /// |---|---|
    /// | `unacceptableStatus` | that of the response, see ``HTTPResponseHead/advisedOutcome`` |
    /// | `cannotFindHost`, `cannotConnect`, `notConnected` | retryable; nothing was sent |
    /// | `connectionLost`, `timedOut` | retryable: it was on its way, and may have arrived |
    /// | `insecureConnection` | failure: a certificate or a setting is as wrong the next time |
    /// | `badResponse` | failure: the server does not speak HTTP here |
    /// | `bodyTooLarge`, `bodyLengthMismatch` | failure: the same body would come, or be sent |
    /// | `bodyNotReplayable`, `bodyUnreadable` | failure: there is nothing to send |
    /// | `bodyIsBeingRead` | failure: a mistake in the program |
    /// | `tooManyRedirects` | failure: the same circle again |
    /// | `transportClosed`, `unsupported` | failure: the transport stays as it is |
    /// | `signInNeeded`, `sessionEnded` | ignorable: it is for the user to sign in, and not to be repeated in another's name |
    /// | `other`, and what a transport adds | what the cause advises; retryable where it does not |
    public var advisedOutcome: Outcome {
        switch code {
        case .unacceptableStatus: response?.advisedOutcome ?? .failure
        case .cannotFindHost, .cannotConnect, .notConnected, .connectionLost, .timedOut:
            .retryable(after: nil)
        case .insecureConnection, .badResponse, .bodyTooLarge, .bodyLengthMismatch,
            .bodyNotReplayable, .bodyUnreadable, .bodyIsBeingRead, .tooManyRedirects,
            .transportClosed, .unsupported:
            .failure
        case .signInNeeded, .sessionEnded: .ignorable
        default: advisedByCause
        }
    }

    /// Whether no connection was made, so that the server has seen nothing of the request.
    ///
    /// Such a call may be repeated, whatever its method, as long as its body is not used up
    /// (``HTTPRequest/isUsedUp``).
    public var isCertainlyUnsent: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .notConnected: true
        default: false
        }
    }

    private var advisedByCause: Outcome {
        switch cause {
        case is CancellationError: .ignorable
        case let cause as any OutcomeAdvising: cause.advisedOutcome
        default: .retryable(after: nil)
        }
    }
}

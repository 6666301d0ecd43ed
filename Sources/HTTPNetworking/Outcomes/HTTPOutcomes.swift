public import PledgeServices

// The meaning of each status and each error of this module for the policies. The guide to errors has the same
// table, beside the errors of the other modules.

extension OutcomeAdvising where Self: HTTPResponseHead {
    /// The meaning of the response for the policies: retry, hedge, circuit breaker, fallback, memoise.
    ///
    /// | Status | The service | Another call |
    /// |---|---|---|
    /// | 1xx, 2xx, 3xx | is healthy | is not needed |
    /// | 408, 429, 500, 502, 503, 504, 520 to 524 | is unhealthy | may succeed, after the delay of Retry-After where there is one |
    /// | 413 with Retry-After, 421, 425 | is healthy | may succeed, after that delay |
    /// | any other 4xx | is healthy | would be rejected again |
    /// | any other | is unhealthy | would fail again |
    ///
    /// A response that rejects the request is a success as a response: its caller got the server's answer. An
    /// error made from it is a failure for the caller.
    ///
    /// Retry-After is a number of seconds, or a date. A date counts from the response's own Date,
    /// or from the system's if the response has none. Any other value, and a date in the past, is
    /// ignored, and no delay is longer than 2³¹ seconds.
    public var advisedOutcome: Outcome {
        let outcome = Outcome(status: status, headers: headers)
        return outcome == .rejection ? .success : outcome
    }
}

extension HTTPResponse: OutcomeAdvising {}

extension HTTPStreamedResponse: OutcomeAdvising {}

extension Outcome {
    /// The meaning of a status for the caller of an exchange that fails with it.
    init(status: Int, headers: HTTPHeaders) {
        var delay: Duration? { RetryAfter.delay(in: headers, now: .now) }
        switch status {
        case 408: self = .retryable(after: delay, fault: .network)
        case 413 where delay != nil, 421, 425:
            self = Outcome(
                isSuccess: false, health: .healthy, retry: .after(delay), fault: .caller)
        case 429, 500, 502, 503, 504, 520...524: self = .retryable(after: delay)
        case 100...499: self = .rejection
        default: self = .failure
        }
    }
}

extension CallRecord.Fate {
    /// The fate of a request that was answered with a status.
    ///
    /// It was refused if the server requires credentials (401, 407), another connection (421), a later
    /// request (425), or another URL with the body (307, 308). No other status means that it was not
    /// processed.
    init(status: Int) {
        self = [401, 407, 421, 425, 307, 308].contains(status) ? .refused : .mayHaveArrived
    }

    /// The fate of a request whose exchange ended.
    init<Output>(of result: Result<Output, any Error>) {
        switch result {
        case .success(let response as any HTTPResponseHead): self.init(status: response.status)
        case .failure(let error as HTTPError) where error.status != nil:
            self.init(status: error.status ?? 0)
        case .failure(let error as any OutcomeAdvising) where error.isCertainlyUnsent:
            self = .unsent
        default: self = .mayHaveArrived
        }
    }
}

extension HTTPError: OutcomeAdvising {
    /// The meaning of the error for the policies: retry, hedge, circuit breaker, fallback.
    ///
    /// | Code | The service | Another call |
    /// |---|---|---|
    /// | `unacceptableStatus` | see ``HTTPResponse/advisedOutcome`` | |
    /// | `notConnected` | unknown: this machine has no network | may succeed; nothing was sent |
    /// | `cannotFindHost`, `cannotConnect` | unhealthy | may succeed; nothing was sent |
    /// | `proxyRefused` | unknown: it was not asked | would be refused again; nothing was sent |
    /// | `connectionLost`, `timedOut` | unhealthy | may succeed; this one may have arrived, see ``isCertainlyUnsent`` |
    /// | `timedOut` whose cause is a `ServiceError`: by the call's deadline, or while it waited for a connection | unknown | as the cause says |
    /// | `insecureConnection`, `badResponse`, `bodyLengthMismatch`, `tooManyRedirects` | unhealthy | would fail again |
    /// | `bodyTooLarge`, `bodyNotReplayable`, `bodyUnreadable`, `bodyIsBeingRead`, `bodyEnded`, `bodyAbandoned`, `fileUnwritable`, `transportClosed`, `unsupported`, `requestNotPrepared`, `redirectRefused`, `signInNeeded`, `sessionEnded` | unknown: the caller's mistake | would fail again |
    /// | `tokenRefreshFailed` | unknown: the refresh asks another service | as the cause says |
    /// | `other`, and what a transport adds | as the cause says; unhealthy where it says nothing | as the cause says |
    public var advisedOutcome: Outcome {
        switch code {
        case .unacceptableStatus:
            response.map { Outcome(status: $0.status, headers: $0.headers) } ?? .failure
        case .notConnected:
            Outcome(isSuccess: false, health: .unknown, retry: .after(nil), fault: .network)
        case .timedOut where cause is ServiceError: outcomeOfCause
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut:
            .retryable(fault: .network)
        case .insecureConnection, .badResponse, .bodyLengthMismatch, .tooManyRedirects: .failure
        // A proxy may lock a user out who is refused several times.
        case .proxyRefused, .bodyTooLarge, .bodyNotReplayable, .bodyUnreadable, .bodyIsBeingRead,
            .bodyEnded, .bodyAbandoned, .fileUnwritable, .transportClosed, .unsupported,
            .requestNotPrepared, .redirectRefused, .signInNeeded, .sessionEnded:
            .callersMistake
        case .tokenRefreshFailed: outcomeOfCause.sayingNothingAboutHealth
        default: outcomeOfCause
        }
    }

    private var outcomeOfCause: Outcome {
        cause.map { Outcome(of: $0) } ?? .retryable
    }

    /// Whether no connection was made, or no request was sent, or the cause says that the server has not processed
    /// the request.
    ///
    /// Such a call may be repeated, whatever its method, as long as its body is not used up
    /// (``HTTPRequest/isConsumed``).
    public var isCertainlyUnsent: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .proxyRefused, .notConnected, .requestNotPrepared,
            .redirectRefused:
            true
        case .connectionLost: (cause as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
        case .timedOut: (cause as? ServiceError)?.isCertainlyUnsent ?? false
        default: false
        }
    }
}

extension Outcome {
    fileprivate var sayingNothingAboutHealth: Outcome {
        Outcome(isSuccess: isSuccess, health: .unknown, retry: retry, fault: fault)
    }
}

extension HTTPError: HasRequest {
    /// The request; or the endpoint, if the endpoint may not be sent twice or there is no request.
    ///
    /// The request may differ from the endpoint: it may be the GET after a redirect of a POST, or have a key
    /// that was made only for this call.
    public var failedRequest: (any Replayable & Sendable)? {
        if let endpoint, !endpoint.isReplayable { return endpoint }
        return request ?? endpoint
    }
}

extension Endpoint.Error: CallerError {
    /// Nothing was sent.
    public var isCertainlyUnsent: Bool { true }
}

// The answer does not match the type.
extension DecodingFailure: CallerError {}

// The service has nothing to do with the file.
extension FileError: CallerError {}

import PledgeFutures
public import PledgeServices

// The two tables below say what each status and each error of this module means to the policies. The guide to errors
// repeats them, together with the errors of the other modules.

extension OutcomeAdvising where Self: HTTPResponseHead {
    /// The meaning of the response for the policies: retry, hedge, circuit breaker, fallback, memoize.
    ///
    /// | Status | The service | Another call |
    /// |---|---|---|
    /// | 1xx, 2xx, 3xx | is healthy | is not needed |
    /// | 408, 429, 500, 502, 503, 504, 520 to 524 | is unhealthy | may succeed, after Retry-After's delay if there is one |
    /// | 413 with Retry-After, 421, 425 | is healthy | may succeed, after that delay |
    /// | any other 4xx | is healthy | would be rejected again |
    /// | any other | is unhealthy | would fail again |
    ///
    /// A response whose status rejects the request still counts as a success, because the caller got the server's
    /// answer. An error made from such a response counts as a failure.
    ///
    /// Retry-After is a number of seconds, or a date. For a date, the delay is the time from the response's own Date
    /// header until that date; without such a header, it is the time from the system's date. Any other value, and a
    /// date in the past, is ignored. No delay is longer than 2³¹ seconds.
    public var advisedOutcome: Outcome {
        let outcome = Outcome(status: status, headers: headers)
        return outcome == .rejection ? .success : outcome
    }
}

extension HTTPResponse: OutcomeAdvising {}

extension HTTPStreamedResponse: OutcomeAdvising {}

extension Outcome {
    /// Creates the outcome of an exchange that fails with a status.
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
    /// Creates the fate of a request that was answered with a status.
    ///
    /// With some statuses, the server refuses the request and asks for another one: with credentials (401, 407), on
    /// another connection (421), later (425), or to another URL with the same body (307, 308). After any other status,
    /// the server may have processed the request.
    package init(status: Int) {
        self = [401, 407, 421, 425, 307, 308].contains(status) ? .refused : .mayHaveArrived
    }

    package init<Output>(of result: Result<Output, any Error>) {
        switch result {
        case .success(let response as any HTTPResponseHead): self.init(status: response.status)
        case .success: self = .mayHaveArrived
        case .failure(let error): self.init(of: error)
        }
    }

    /// Creates the fate of a request from its response or error; unlike a cast, this allocates nothing.
    package init<Output: HTTPResponseHead>(of result: Result<Output, any Error>) {
        switch result {
        case .success(let response): self.init(status: response.status)
        case .failure(let error): self.init(of: error)
        }
    }

    private init(of error: any Error) {
        if let status = (error as? HTTPError)?.status {
            self.init(status: status)
        } else {
            let isUnsent = (error as? any AdvisingError)?.isCertainlyUnsent ?? false
            self = isUnsent ? .unsent : .mayHaveArrived
        }
    }
}

extension HTTPError: AdvisingError {
    /// The meaning of the error for the policies: retry, hedge, circuit breaker, fallback.
    ///
    /// | Code | The service | Another call |
    /// |---|---|---|
    /// | `unacceptableStatus` | see ``HTTPResponse/advisedOutcome`` | |
    /// | `notConnected` | unknown: this machine has no network | may succeed; nothing was sent |
    /// | `cannotFindHost`, `cannotConnect` | unhealthy | may succeed; nothing was sent |
    /// | `proxyRefused` | unknown: no request reached the service | would be refused again; nothing was sent |
    /// | `connectionLost`, `timedOut` | unhealthy | may succeed; the request may have arrived |
    /// | `timedOut` with a `ServiceError` as its cause: the call's deadline passed, or no connection became free | unknown | as the cause says |
    /// | `insecureConnection`, `badResponse`, `bodyLengthMismatch`, `digestMismatch`, `tooManyRedirects`, `unacceptableContentType` | unhealthy | would fail again |
    /// | `bodyTooLarge`, `bodyNotReplayable`, `bodyUnreadable`, `bodyIsBeingRead`, `bodyEnded`, `bodyAbandoned`, `malformedMultipart`, `fileUnwritable`, `transportClosed`, `unsupported`, `requestNotPrepared`, `redirectRefused`, `signInNeeded`, `sessionEnded` | unknown: the caller's mistake | would fail again |
    /// | `tokenRefreshFailed` | unknown: the refresh asks another service | as the cause says |
    /// | `other`, and a transport's own codes | as the cause says; without a cause, unhealthy | as the cause says; without a cause, may succeed |
    package var outcome: Outcome {
        switch code {
        case .unacceptableStatus:
            response.map { Outcome(status: $0.status, headers: $0.headers) } ?? .failure
        case .notConnected:
            Outcome(isSuccess: false, health: .unknown, retry: .after(nil), fault: .network)
        case .timedOut where cause is ServiceError: outcomeOfCause
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut:
            .retryable(fault: .network)
        case .insecureConnection, .badResponse, .bodyLengthMismatch, .digestMismatch,
            .tooManyRedirects, .unacceptableContentType:
            .failure
        // A refusal by a proxy isn't retried, because the proxy may lock out the user after several refusals.
        case .proxyRefused, .bodyTooLarge, .bodyNotReplayable, .bodyUnreadable, .bodyIsBeingRead,
            .bodyEnded, .bodyAbandoned, .malformedMultipart, .fileUnwritable, .transportClosed,
            .unsupported, .requestNotPrepared, .redirectRefused, .signInNeeded, .sessionEnded:
            .callersMistake
        case .tokenRefreshFailed: outcomeOfCause.sayingNothingAboutHealth
        default: outcomeOfCause
        }
    }

    private var outcomeOfCause: Outcome {
        cause.map { Outcome(of: $0) } ?? .retryable
    }

    /// True if the server has certainly not processed the request.
    ///
    /// Either no connection was made, or no request was sent, or the cause says that the server has not processed it.
    /// The call may then be repeated, whatever its method, unless its body is used up.
    package var isCertainlyUnsent: Bool {
        switch code {
        case .cannotFindHost, .cannotConnect, .proxyRefused, .notConnected, .requestNotPrepared,
            .redirectRefused:
            true
        case .connectionLost: (cause as? any AdvisingError)?.isCertainlyUnsent ?? false
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

extension HTTPError {
    /// The endpoint if it may not be sent twice; otherwise the request, or the endpoint if there is no request.
    ///
    /// The request can differ from the endpoint: it can be the GET after a redirected POST, or have an idempotency key
    /// that was made only for this call. Such a request may be sent twice even if the endpoint may not, so the endpoint
    /// decides first.
    package var failedRequest: (any Replayable & Sendable)? {
        if let endpoint, !endpoint.isReplayable { return endpoint }
        return request ?? endpoint
    }
}

extension Endpoint.Error: CallerError {
    /// True, because the request was not sent.
    package var isCertainlyUnsent: Bool { true }
}

// The response does not match the type, so the fault is the caller's.
extension DecodingFailure: CallerError {}

// An error about a file says nothing about the service.
extension FileError: CallerError {}

#if AsyncHTTPClient
import AsyncHTTPClient
import Dispatch
import Futures
import HTTPNetworking
import Services

/// One attempt at a request: the request, its beginning, and its client.
///
/// A class, so that code that keeps an attempt copies no request.
final class RequestAttempt: Sendable {
    let request: HTTPRequest
    /// Kept until the call has ended, so that the client is not shut down during the call.
    let lease: ClientLease
    /// The number of the attempt, from one.
    let attempt: Int
    /// How often the request may have been sent before.
    let resends: Int
    /// The number of connections made before this attempt; nil if they are not counted.
    let connectionsBefore: Int?
    /// Scheme, host and port of the URL.
    let host: String
    private let route: ClientLease.Route
    private let began: ContinuousClock.Instant
    private let loop: HTTPClient.EventLoopPreference?

    /// Checks that the request can be sent.
    ///
    /// - Throws: `HTTPRequest.Error` if it cannot be sent, and `HTTPError` if the transport is closed or the
    ///   deadline has passed.
    init(_ request: HTTPRequest, over transport: AHCTransport) throws {
        try request.validate()
        guard let lease = transport.borrowClient() else {
            throw HTTPError(code: .transportClosed, request: request)
        }
        if let refusal = lease.routes.refusal {
            throw HTTPError(
                code: .unsupported, request: request, cause: refusal, reason: refusal.description)
        }
        if let deadline = request.context.deadline, deadline.remaining <= .zero {
            throw HTTPError(
                code: .timedOut, request: request,
                reason: TimeLimit.deadline(after: .zero).words)
        }
        self.request = request
        self.lease = lease
        attempt = 1
        resends = 0
        connectionsBefore = lease.connections?.count
        began = .now
        host = AbsoluteURL.schemeAndAuthority(of: request.url)
        route = lease.route(to: host, for: request)
        loop = route.lanes == nil ? lease.connections?.enter() : nil
    }

    /// The same call, to be made again.
    ///
    /// - Parameter wasUnsent: Whether it is certain that the request has not been sent.
    init(after call: RequestAttempt, wasUnsent: Bool) {
        request = call.request
        lease = call.lease
        attempt = call.attempt + 1
        resends = call.resends + (wasUnsent ? 0 : 1)
        connectionsBefore = lease.connections?.count
        began = call.began
        host = call.host
        route = call.route
        loop = route.lanes == nil ? lease.connections?.enter() : nil
    }

    deinit { if loop != nil { lease.connections?.leave() } }

    /// The lanes that the call waits for; nil if the client chooses its connection.
    var lanes: CallLanes? { route.lanes }

    /// The time since the call began.
    var elapsed: Duration { began.duration(to: .now) }

    func failure(
        _ code: HTTPError.Code, cause: (any Error)? = nil, reason: String? = nil
    ) -> HTTPError {
        HTTPError(code: code, request: request, cause: cause, reason: reason)
    }

    /// The error that the caller gets after a time limit has been reached.
    func failure(by limit: TimeLimit) -> HTTPError { failure(.timedOut, reason: limit.words) }

    /// The error that the caller gets for an error of AsyncHTTPClient.
    func failure(_ error: any Error) -> any Error {
        switch error {
        case let error as HTTPError: return error.naming(request)
        case let error as BodyFailure:
            if let cause = error.cause as? HTTPError { return failure(cause) }
            return failure(.bodyUnreadable, cause: error.cause)
        case let error as HTTPClientError where error == .cancelled && lease.isCancelled:
            return CancellationError()
        case let error as HTTPClientError where error == .alreadyShutdown:
            return failure(.transportClosed, cause: error)
        default:
            let code = HTTPError.Code(asyncHTTPClient: error)
            return failure(
                code, cause: error, reason: code.reason(of: error, limits: lease.limits))
        }
    }
}

extension RequestAttempt {
    /// Ends the exchange at its deadline, if there is one, and when it has been idle for too long.
    func limitTime(_ control: RequestLifetime) {
        control.watch()
        let timer = request.atDeadline {
            control.end(with: self.failure(by: .deadline(after: self.elapsed)))
        }
        if let timer { control.hold(timer) }
    }

    /// Starts the idle timeout, if the client has queued the call for a connection.
    func noteConnection(_ control: RequestLifetime) {
        // On a lane, the idle timeout has started before.
        if lanes == nil { control.noteSign() }
    }

    /// Makes the call again after an error, if that is allowed.
    ///
    /// - Returns: Whether the call is made again.
    func repeats(
        for delegate: some ResponseDelegate, after error: any Error, _ control: RequestLifetime
    ) -> Bool {
        guard let call = again(after: error, control) else { return false }
        guard let next = delegate.replaced(for: call) else { return false }
        control.restart()
        call.start(next, control)
        return true
    }

    /// Starts the call in AsyncHTTPClient, which passes its response to the delegate.
    func start<Delegate: ResponseDelegate>(_ delegate: Delegate, _ control: RequestLifetime) {
        guard case .file(let url) = request.body.content else {
            return execute(delegate, control, upload: Upload(request.body))
        }
        // Opening a file may block, which the caller must not do.
        DispatchQueue.global().async {
            do {
                let file = try HTTPBodyStream.file(url)
                self.execute(delegate, control, upload: .stream(length: file.length) { file })
            } catch {
                delegate.fail(with: self.failure(error))
            }
        }
    }

    private func execute<Delegate: ResponseDelegate>(
        _ delegate: Delegate, _ control: RequestLifetime, upload: Upload?
    ) {
        if let reason = control.reason { return delegate.fail(with: reason) }
        guard let lanes else {
            return execute(delegate, control, upload, on: loop ?? .indifferent)
        }
        control.enter(lanes) { loop in
            switch loop {
            case .failure(let reason): delegate.fail(with: reason)
            case .success where self.lease.isCancelled: delegate.fail(with: CancellationError())
            case .success(let loop):
                self.execute(delegate, control, upload, on: .delegate(on: loop))
            }
        }
    }

    private func execute<Delegate: ResponseDelegate>(
        _ delegate: Delegate, _ control: RequestLifetime, _ upload: Upload?,
        on loop: HTTPClient.EventLoopPreference
    ) {
        do {
            if case .stream = upload { control.willUpload() }
            let request = try HTTPClient.Request(self, upload, control)
            let task = route.client.execute(
                request: request, delegate: delegate, eventLoop: loop)
            control.hold(attempt: attempt) { task.fail(reason: $0) }
        } catch {
            delegate.fail(with: failure(error))
        }
    }
}
#endif

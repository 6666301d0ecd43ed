#if AsyncHTTPClient
import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// One attempt to send a request, and its client.
///
/// A class, so that keeping it doesn't copy the request.
final class RequestAttempt: Sendable {
    let exchange: TransportExchange
    let lease: ClientLease
    /// Counted from one.
    let attempt: Int
    /// How many earlier attempts may have sent the request.
    let resends: Int
    /// How many earlier attempts a leaving server didn't process.
    let exclusions: Int
    /// How many connections had been made before; nil if they aren't counted.
    let connectionsBefore: Int?
    /// The URL's scheme, host and port.
    let host: String
    private let route: ClientLease.Route
    private let loop: (any EventLoop)?

    /// The first attempt.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - host: The URL's scheme, host and port.
    ///   - lease: The client.
    /// - Throws: `HTTPError` if the client can't be used.
    init(_ exchange: TransportExchange, to host: String, over lease: ClientLease) throws {
        if let refusal = lease.routes.refusal {
            throw HTTPError(code: .unsupported, cause: refusal, reason: refusal.description)
        }
        self.exchange = exchange
        self.lease = lease
        attempt = 1
        resends = 0
        exclusions = 0
        connectionsBefore = lease.connections?.count
        self.host = host
        route = lease.route(to: host, for: exchange.request)
        loop = route.lanes == nil ? lease.connections?.enterCall(to: host) : nil
    }

    /// The next attempt.
    ///
    /// - Parameters:
    ///   - call: The attempt that failed.
    ///   - resends: 1 if it may have sent the request.
    ///   - exclusions: 1 if a leaving server didn't process it.
    init(after call: RequestAttempt, resends: Int = 0, exclusions: Int = 0) {
        exchange = call.exchange
        lease = call.lease
        attempt = call.attempt + 1
        self.resends = call.resends + resends
        self.exclusions = call.exclusions + exclusions
        connectionsBefore = lease.connections?.count
        host = call.host
        route = call.route
        loop = route.lanes == nil ? lease.connections?.enterCall(to: host) : nil
    }

    deinit { if loop != nil { lease.connections?.leave() } }

    /// Nil if the client chooses the connection.
    var lanes: CallLanes? { route.lanes }

    var request: HTTPRequest { exchange.request }

    /// Records the HTTP version of the server's answer.
    func noteVersion(_ version: HTTPVersion) {
        exchange.noteSharing(version.major != 1)
        if loop != nil { lease.connections?.noteVersion(version, of: host) }
    }

    /// The caller's error for an error of AsyncHTTPClient.
    func failure(_ error: any Error) -> any Error {
        switch error {
        case let error as HTTPError: return error.withRequest(request)
        case let error as ServiceError where error.code == .superseded: return error
        case let error as BodyFailure: return exchange.unreadable(error.cause)
        case let error as UnprocessedRequest where resends > 0:
            // An earlier attempt may have been processed, so the error must not say the opposite.
            return exchange.failure(.connectionLost, cause: error.cause)
        case let error as HTTPClientError where error == .cancelled && lease.isCancelled:
            return CancellationError()
        case let error as HTTPClientError where error == .alreadyShutdown:
            return exchange.failure(.transportClosed, cause: error)
        case let error as HTTPClientError where error == .getConnectionFromPoolTimeout:
            let limit = lease.limits?.connectionWait ?? .zero
            return HTTPError(.freeConnection(limit), request: request, cause: error)
        default:
            let code = HTTPError.Code(asyncHTTPClient: error)
            return exchange.failure(
                code, cause: error, reason: code.reason(of: error, limits: lease.limits))
        }
    }
}

extension RequestAttempt {
    /// Starts the request in AsyncHTTPClient, which passes the response to the delegate.
    func start(_ delegate: ExchangeDelegate, _ control: RequestLifetime) {
        guard case .file(let url) = request.body.content else {
            return execute(delegate, control, upload: Upload(request.body))
        }
        // On another thread, because opening a file may block.
        DispatchQueue.global().async {
            do {
                let file = try HTTPBodyStream.file(url)
                self.execute(delegate, control, upload: .stream(length: file.length) { file })
            } catch {
                delegate.fail(with: self.failure(error))
            }
        }
    }

    private func execute(
        _ delegate: ExchangeDelegate, _ control: RequestLifetime, upload: Upload?
    ) {
        if let reason = control.reason { return delegate.fail(with: reason) }
        guard let lanes else {
            do {
                // AsyncHTTPClient doesn't say when a request gets a connection, so the exchange counts it as being sent
                // now.
                try exchange.willSend()
            } catch {
                return delegate.fail(with: error)
            }
            exchange.expectNothing()
            return execute(
                delegate, control, upload, on: loop.map { .delegate(on: $0) } ?? .indifferent)
        }
        control.enterLane(of: lanes) { loop in
            switch loop {
            case .failure(let reason): delegate.fail(with: reason)
            case .success where self.lease.isCancelled: delegate.fail(with: CancellationError())
            case .success(let loop):
                self.execute(delegate, control, upload, on: .delegate(on: loop))
            }
        }
    }

    private func execute(
        _ delegate: ExchangeDelegate, _ control: RequestLifetime, _ upload: Upload?,
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

extension RequestAttempt {
    /// The next attempt; nil if the request must not be sent again.
    ///
    /// It's sent again in three cases:
    /// - A server may close a kept connection just when a request is sent on it. It's sent again if that is safe (RFC
    ///   9112, section 9.3.1): no part of an answer has arrived, the connection was kept, and the request may be
    ///   repeated.
    /// - A leaving HTTP/2 server may say that it processes none of the latest requests. They are sent again on another
    ///   connection, whatever their method, unless the body is a stream.
    /// - AsyncHTTPClient ends a call that has waited for a connection as long as connecting may take. It wasn't sent,
    ///   so it waits again.
    func again(after error: any Error, _ control: RequestLifetime) -> RequestAttempt? {
        if mayWaitOn(after: error), !control.isOver {
            return RequestAttempt(after: self)
        }
        if mayAskAnother(after: error), !control.isOver {
            return RequestAttempt(after: self, exclusions: 1)
        }
        guard resends < 2, request.isReplayable, !lease.isCancelled, !control.isOver,
            HTTPError.Code(asyncHTTPClient: error) == .connectionLost,
            connectionsBefore != nil, connectionsBefore == lease.connections?.count
        else { return nil }
        return RequestAttempt(after: self, resends: 1)
    }

    /// Wraps the error in ``UnprocessedRequest`` if the connection ended before the request was sent.
    func unsent(_ error: any Error) -> any Error {
        // A system error may come while the head is being sent, so the server may have got the request.
        guard HTTPError.Code(asyncHTTPClient: error) == .connectionLost, !(error is IOError),
            !(error is UnprocessedRequest), !lease.isCancelled
        else { return error }
        // Here, `cancelled` means that the request came to a connection that was about to close.
        let isLate = error as? HTTPClientError == .cancelled
        return UnprocessedRequest(cause: error, reason: isLate ? .leaving : .unsent)
    }

    private func mayAskAnother(after error: any Error) -> Bool {
        guard let error = error as? UnprocessedRequest, error.reason == .leaving,
            exclusions < 10, !lease.isCancelled
        else { return false }
        if case .stream = request.body.content { return false }
        return true
    }

    private func mayWaitOn(after error: any Error) -> Bool {
        guard let limits = lease.limits, !lease.isCancelled,
            error as? HTTPClientError == .getConnectionFromPoolTimeout
        else { return false }
        return limits.connectionWait.map { exchange.elapsed < $0 } ?? true
    }
}

extension RequestAttempt {
    func response(_ head: NIOHTTP1.HTTPResponseHead) -> HTTPResponse {
        HTTPResponse(
            status: Int(head.status.code),
            headers: HTTPHeaders(head.headers.lazy.map { ($0.name, $0.value) }))
    }

    /// The error for an exchange that AsyncHTTPClient has released without reporting its end.
    ///
    /// That happens if the client was shut down, or if the response's end has cut off an upload.
    func failureOfADropped(afterHead: Bool) -> HTTPError {
        exchange.failure(afterHead ? .connectionLost : .transportClosed)
    }
}
#endif

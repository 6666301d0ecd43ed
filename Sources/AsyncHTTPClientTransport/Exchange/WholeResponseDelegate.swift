#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore
import NIOHTTP1

/// Collects a response.
final class WholeResponseDelegate: ResponseDelegate {
    private let call: RequestAttempt
    private let control: RequestLifetime
    private let limit: Int
    private let state: Locked<State>

    private struct State {
        /// Nil after the exchange is over.
        var resolver: Resolver<HTTPResponse>?
        /// The response without its body, after its head has arrived.
        var head: HTTPResponse?
        /// The announced length of the body in bytes.
        var length: Int64?
        /// The bytes of the body so far; separate from the response, so that they are not copied with it.
        var body = Data()

        var response: HTTPResponse? {
            var response = head
            response?.body = body
            return response
        }
    }

    init(
        _ call: RequestAttempt, _ control: RequestLifetime, _ resolver: Resolver<HTTPResponse>,
        limit: Int
    ) {
        self.call = call
        self.control = control
        state = Locked(State(resolver: resolver))
        self.limit = limit
    }

    deinit {
        guard let resolver = takeResolver() else { return }
        control.finish()
        resolver.reject(
            with: call.failureOfADropped(afterHead: state.withLock { $0.head != nil }))
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        call.noteConnection(control)
    }

    func didReceiveHead(
        task: HTTPClient.Task<Void>, _ head: NIOHTTP1.HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        let length = call.announcedLength(head)
        let head = call.response(head)
        if let length, length > limit {
            return task.eventLoop.makeFailedFuture(tooLarge(head))
        }
        state.withLock { state in
            state.head = head
            state.length = length
            state.body.reserveCapacity(Int(min(length ?? 0, 1 << 20)))
        }
        control.noteSign()
        endWhereRefused(status: head.status, received: 0, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>, _ part: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let (status, received, length) = state.withLock { state -> (Int, Int64, Int64?) in
            guard part.readableBytes <= limit - state.body.count else { return (0, -1, nil) }
            part.withUnsafeReadableBytes { state.body.append(contentsOf: $0) }
            return (state.head?.status ?? 0, Int64(state.body.count), state.length)
        }
        if received < 0, let response = state.withLock({ $0.response }) {
            return task.eventLoop.makeFailedFuture(tooLarge(response))
        }
        control.noteSign()
        endWhereRefused(status: status, received: received, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        guard control.finish() else { return resolve() }
        // If calls wait, more responses arrive in this turn of the event loop. Their futures are resolved
        // together, so that a sleeping thread is woken once for all of them.
        task.eventLoop.execute { self.resolve() }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        if state.withLock({ $0.head == nil }), call.repeats(for: self, after: error, control) {
            return
        }
        fail(with: call.failure(error))
    }

    func fail(with error: any Error) {
        guard let resolver = takeResolver() else { return }
        control.finish()
        resolver.reject(with: error)
    }

    func replaced(for call: RequestAttempt) -> WholeResponseDelegate? {
        takeResolver().map { WholeResponseDelegate(call, control, $0, limit: limit) }
    }

    private func resolve() {
        var last = State()
        state.withLock { swap(&$0, &last) }
        guard let resolver = last.resolver, var response = last.response else { return }
        response.timing.total = call.elapsed
        resolver.resolve(with: response)
    }

    private func takeResolver() -> Resolver<HTTPResponse>? {
        state.withLock { state in
            defer { state.resolver = nil }
            return state.resolver
        }
    }

    private func endWhereRefused(status: Int, received: Int64, of length: Int64?) {
        guard call.isWholeRefusal(status: status, received: received, of: length, control) else {
            return
        }
        resolve()
        control.cancel()
    }

    private func tooLarge(_ response: HTTPResponse) -> HTTPError {
        HTTPError(code: .bodyTooLarge, request: call.request, response: response)
    }
}
#endif

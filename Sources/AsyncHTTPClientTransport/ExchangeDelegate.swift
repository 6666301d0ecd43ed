#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PledgeFutures
import PledgeHTTPNetworking

/// Passes AsyncHTTPClient's events of an attempt on to the exchange.
///
/// Only AsyncHTTPClient keeps a delegate. So if the delegate is released before the exchange has ended, AsyncHTTPClient
/// has dropped the exchange.
final class ExchangeDelegate: HTTPClientResponseDelegate {
    private struct State {
        /// True if the head of the request has been sent.
        var isSent = false
        /// True if another attempt continues the exchange.
        var isReplaced = false
    }

    private let call: RequestAttempt
    private let control: RequestLifetime
    private let state = Locked(State())

    private var exchange: TransportExchange { call.exchange }

    init(_ call: RequestAttempt, _ control: RequestLifetime) {
        self.call = call
        self.control = control
    }

    deinit {
        if state.withLock({ $0.isReplaced }) { return }
        if exchange.isOver { return control.releaseClient() }
        fail(with: call.failureOfADropped(afterHead: exchange.hasHead))
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        state.withLock { $0.isSent = true }
        // If the call has a lane (``CallLanes``), its idle timeout started when the call got the lane.
        // Otherwise it starts here.
        if call.lanes == nil { exchange.noteSign() }
    }

    func didReceiveHead(
        task: HTTPClient.Task<Void>, _ head: NIOHTTP1.HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        call.noteVersion(head.version)
        return after(exchange.receive(call.response(head)), on: task.eventLoop)
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>, _ part: ByteBuffer
    ) -> EventLoopFuture<Void> {
        guard exchange.isStreamed else {
            let refusal = part.withUnsafeReadableBytes { exchange.receive($0) }
            return after(refusal, on: task.eventLoop)
        }
        let room = task.eventLoop.makePromise(of: Void.self)
        if exchange.pass(Data(sharing: part), goingOn: { room.succeed() }) { room.succeed() }
        endIfRefused()
        return room.futureResult
    }

    private func after(_ refusal: HTTPError?, on loop: any EventLoop) -> EventLoopFuture<Void> {
        if let refusal { return loop.makeFailedFuture(refusal) }
        endIfRefused()
        return loop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        guard control.finish(), !exchange.isStreamed else { return finish() }
        // More responses may arrive in this turn of the event loop. Their futures and this one resolve together after
        // the turn, so that a sleeping thread is woken only once. The closure keeps the delegate, because releasing the
        // delegate would end the exchange.
        task.eventLoop.execute { self.finish() }
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        if let early = error as? AnsweredEarly { return endCall(answeredEarly: early) }
        let error = state.withLock { $0.isSent } ? error : call.unsent(error)
        if !exchange.hasHead, let next = call.again(after: error, control) {
            state.withLock { $0.isReplaced = true }
            control.restart()
            return next.start(ExchangeDelegate(next, control), control)
        }
        fail(with: control.reason ?? call.failure(error))
    }

    /// Ends the exchange with its answer if the whole answer has arrived; otherwise fails it.
    private func endCall(answeredEarly early: AnsweredEarly) {
        guard control.reason == nil, exchange.receivedCount == early.bodySize else {
            return fail(with: control.reason ?? call.failure(early.cause))
        }
        control.finish()
        finish()
    }

    /// Delivers the answer, or ends its streamed body.
    private func finish() {
        exchange.finish()
        control.releaseClient()
    }

    /// Fails the exchange.
    func fail(with error: any Error) {
        control.finish()
        exchange.fail(with: error)
        control.releaseClient()
    }

    /// Ends the exchange if its response is complete but AsyncHTTPClient may never report that.
    ///
    /// If the server refuses the request before all of it has been sent, AsyncHTTPClient stops sending. If the end of
    /// the response arrives separately, AsyncHTTPClient then waits for the end of the request, which may never come. So
    /// this method doesn't wait for the end of a response: if the length is known, the response is complete when it has
    /// that many bytes.
    private func endIfRefused() {
        guard control.isUploading, exchange.isComplete(), exchange.status ?? 0 >= 300 else {
            return
        }
        finish()
        control.endCall(with: CancellationError())
    }
}

extension Data {
    /// Creates data from a buffer, without a copy if there are at least 16 KiB.
    fileprivate init(sharing part: ByteBuffer) {
        guard part.readableBytes >= 16 << 10 else {
            self = part.withUnsafeReadableBytes { Data($0) }
            return
        }
        self = part.withUnsafeReadableBytesWithStorageManagement { bytes, storage in
            guard let start = bytes.baseAddress else { return Data() }
            let kept = storage.retain()
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
                deallocator: .custom { _, _ in kept.release() })
        }
    }
}
#endif

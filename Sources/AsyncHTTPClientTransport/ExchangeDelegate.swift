#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// Passes AsyncHTTPClient's events on to the exchange.
///
/// Only AsyncHTTPClient keeps the delegate, so a release before the end means that AsyncHTTPClient has dropped the
/// exchange.
final class ExchangeDelegate: HTTPClientResponseDelegate {
    private struct State {
        /// True if the request's head was sent.
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
        // With a lane, the idle timeout has been running since the call got the lane.
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
        // More responses may arrive in this turn of the event loop. All their futures resolve after it, so that a
        // sleeping thread is woken only once. The closure keeps the delegate, whose release would end the exchange.
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

    /// Ends the exchange with its answer, if all of it has arrived; otherwise fails it.
    private func endCall(answeredEarly early: AnsweredEarly) {
        guard control.reason == nil, exchange.receivedCount == early.bodySize else {
            return fail(with: control.reason ?? call.failure(early.cause))
        }
        control.finish()
        finish()
    }

    private func finish() {
        exchange.finish()
        control.releaseClient()
    }

    func fail(with error: any Error) {
        control.finish()
        exchange.fail(with: error)
        control.releaseClient()
    }

    /// Ends the exchange if its response is complete and AsyncHTTPClient may never say so.
    ///
    /// If the server refuses a request before all of it was sent, AsyncHTTPClient stops sending. If the response's end
    /// then arrives separately, AsyncHTTPClient waits for the request's end, which may never come. So a response of
    /// known length is complete when it has that many bytes.
    private func endIfRefused() {
        guard control.isUploading, exchange.isComplete(), exchange.status ?? 0 >= 300 else {
            return
        }
        finish()
        control.endCall(with: CancellationError())
    }
}

extension Data {
    /// Doesn't copy 16 KiB or more.
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

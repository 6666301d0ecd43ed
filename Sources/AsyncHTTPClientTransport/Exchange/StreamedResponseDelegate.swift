#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore
import NIOHTTP1

/// Delivers the head of a response, and the body as its reader asks for it.
final class StreamedResponseDelegate: ResponseDelegate {
    private let call: RequestAttempt
    private let control: RequestLifetime
    /// Released after the head has arrived: it would keep the response, whose release by its reader ends the
    /// exchange.
    private let resolver: Locked<Resolver<HTTPStreamedResponse>?>
    private let body: BodyChunkQueue
    private let received = Locked<(status: Int, count: Int64, length: Int64?)>((0, 0, nil))

    init(
        _ call: RequestAttempt, _ control: RequestLifetime,
        _ resolver: Resolver<HTTPStreamedResponse>
    ) {
        self.call = call
        self.control = control
        self.resolver = Locked(resolver)
        body = BodyChunkQueue(control)
    }

    deinit { fail(with: call.failureOfADropped(afterHead: body.isOpen)) }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        call.noteConnection(control)
    }

    func didReceiveHead(
        task: HTTPClient.Task<Void>, _ head: NIOHTTP1.HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        let response = call.response(head)
        let length = call.announcedLength(head)
        received.withLock { $0 = (response.status, 0, length) }
        guard body.open() else {
            return task.eventLoop.makeFailedFuture(CancellationError())
        }
        let stream = HTTPBodyStream(
            length: length, next: { [body] in body.next() }, cancel: { [body] in body.cancel() })
        takeResolver()?.resolve(with: HTTPStreamedResponse(response, body: stream))
        endWhereRefused(by: 0)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>, _ part: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let mayGoOn = body.give(part, on: task.eventLoop)
        endWhereRefused(by: part.readableBytes)
        return mayGoOn
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        control.finish()
        body.end(.success(()))
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        if !body.isOpen, call.repeats(for: self, after: error, control) { return }
        fail(with: call.failure(error))
    }

    func fail(with error: any Error) {
        let resolver = takeResolver()
        // If there is neither a resolver nor a head, another attempt has replaced this one.
        guard resolver != nil || body.isOpen else { return }
        control.finish()
        resolver?.reject(with: error)
        body.end(.failure(error))
    }

    func replaced(for call: RequestAttempt) -> StreamedResponseDelegate? {
        takeResolver().map { StreamedResponseDelegate(call, control, $0) }
    }

    private func endWhereRefused(by count: Int) {
        let (status, received, length) = received.withLock { all in
            all.count += Int64(count)
            return all
        }
        guard call.isWholeRefusal(status: status, received: received, of: length, control) else {
            return
        }
        body.end(.success(()))
        control.cancel()
    }

    private func takeResolver() -> Resolver<HTTPStreamedResponse>? {
        resolver.withLock { resolver in
            defer { resolver = nil }
            return resolver
        }
    }
}
#endif

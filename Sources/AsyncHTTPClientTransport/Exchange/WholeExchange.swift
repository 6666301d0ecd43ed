#if AsyncHTTPClient
import AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Gathers a response.
final class WholeExchange: Exchange {
    private let call: ExchangeCall
    private let control: ExchangeControl
    /// Nil when the exchange is over.
    private let resolver: Locked<Resolver<HTTPResponse>?>
    private let limit: Int
    private let gathered = Locked<Gathered?>(nil)

    /// What has come of the response, its body apart from it so that it is not copied with it.
    private struct Gathered {
        let head: HTTPResponse
        let length: Int?
        var body = Data()

        var response: HTTPResponse {
            var response = head
            response.body = body
            return response
        }
    }

    init(
        _ call: ExchangeCall, _ control: ExchangeControl, _ resolver: Resolver<HTTPResponse>,
        limit: Int
    ) {
        self.call = call
        self.control = control
        self.resolver = Locked(resolver)
        self.limit = limit
    }

    deinit { fail(with: call.failureOfADropped(afterHead: gathered.withLock { $0 != nil })) }

    func didReceiveHead(
        task: HTTPClient.Task<Void>, _ head: NIOHTTP1.HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        let length = call.announcedLength(head)
        var gathered = Gathered(head: call.response(head), length: length)
        if let length {
            if length > limit { return task.eventLoop.makeFailedFuture(tooLarge(gathered)) }
            gathered.body.reserveCapacity(min(length, 1 << 20))
        }
        self.gathered.withLock { $0 = gathered }
        call.limitRefusal(status: gathered.head.status, length: length, control)
        endWhereRefused(status: gathered.head.status, received: 0, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>, _ part: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let (status, received, length) = gathered.withLock { gathered in
            if part.readableBytes <= limit - (gathered?.body.count ?? 0) {
                part.withUnsafeReadableBytes { gathered?.body.append(contentsOf: $0) }
                return (gathered?.head.status ?? 0, gathered?.body.count ?? 0, gathered?.length)
            }
            return (0, -1, nil)
        }
        if received < 0, let gathered = gathered.withLock({ $0 }) {
            return task.eventLoop.makeFailedFuture(tooLarge(gathered))
        }
        endWhereRefused(status: status, received: received, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        control.finish()
        resolve()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        if gathered.withLock({ $0 == nil }), call.begin(again: self, after: error, control) {
            return
        }
        fail(with: call.failure(error))
    }

    func fail(with error: any Error) {
        guard let resolver = takeResolver() else { return }
        control.finish()
        resolver.reject(with: error)
    }

    func replaced(for call: ExchangeCall) -> WholeExchange? {
        takeResolver().map { WholeExchange(call, control, $0, limit: limit) }
    }

    private func resolve() {
        guard var response = gathered.withLock({ $0?.response }) else { return }
        response.timing.total = call.elapsed
        takeResolver()?.resolve(with: response)
    }

    private func takeResolver() -> Resolver<HTTPResponse>? {
        resolver.withLock { resolver in
            defer { resolver = nil }
            return resolver
        }
    }

    private func endWhereRefused(status: Int, received: Int, of length: Int?) {
        guard call.isWholeRefusal(status: status, received: received, of: length, control) else {
            return
        }
        resolve()
        control.cancel()
    }

    private func tooLarge(_ gathered: Gathered) -> HTTPError {
        HTTPError(code: .bodyTooLarge, request: call.request, response: gathered.response)
    }
}
#endif

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
    private let limit: Int
    private let state: Locked<State>

    private struct State {
        /// Nil when the exchange is over.
        var resolver: Resolver<HTTPResponse>?
        var gathered: Gathered?
    }

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
        state = Locked(State(resolver: resolver))
        self.limit = limit
    }

    deinit { fail(with: call.failureOfADropped(afterHead: state.withLock { $0.gathered != nil })) }

    func didReceiveHead(
        task: HTTPClient.Task<Void>, _ head: NIOHTTP1.HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        let length = call.announcedLength(head)
        var gathered = Gathered(head: call.response(head), length: length)
        if let length {
            if length > limit { return task.eventLoop.makeFailedFuture(tooLarge(gathered)) }
            gathered.body.reserveCapacity(min(length, 1 << 20))
        }
        state.withLock { $0.gathered = gathered }
        control.watch?.note()
        endWhereRefused(status: gathered.head.status, received: 0, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>, _ part: ByteBuffer
    ) -> EventLoopFuture<Void> {
        let (status, received, length) = state.withLock { state in
            if part.readableBytes <= limit - (state.gathered?.body.count ?? 0) {
                part.withUnsafeReadableBytes { state.gathered?.body.append(contentsOf: $0) }
                let gathered = state.gathered
                return (gathered?.head.status ?? 0, gathered?.body.count ?? 0, gathered?.length)
            }
            return (0, -1, nil)
        }
        if received < 0, let gathered = state.withLock({ $0.gathered }) {
            return task.eventLoop.makeFailedFuture(tooLarge(gathered))
        }
        control.watch?.note()
        endWhereRefused(status: status, received: received, of: length)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        control.finish()
        resolve()
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        if state.withLock({ $0.gathered == nil }), call.begin(again: self, after: error, control) {
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
        let (resolver, gathered) = state.withLock { state in
            defer { state = State() }
            return (state.resolver, state.gathered)
        }
        guard var response = gathered?.response else { return }
        response.timing.total = call.elapsed
        resolver?.resolve(with: response)
    }

    private func takeResolver() -> Resolver<HTTPResponse>? {
        state.withLock { state in
            defer { state.resolver = nil }
            return state.resolver
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

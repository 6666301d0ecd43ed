import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Reads a body to its end, then makes the task of a call that has been counted by `enter()`.
    func upload(
        _ source: HTTPRequest.BodySource, of request: HTTPRequest, since start: SchedulerInstant,
        for recipient: ExchangeRecipient
    ) throws {
        var stream = try opened(source)
        if let length = source.length { stream = stream.checkingLength(length) }
        let body = BodySpool.body(of: stream, upTo: configuration.maxSpooledBodySize)
        let key = ObjectIdentifier(body)
        let isCancelling = state.withLock { state in
            state.uploads[key] = body
            return state.isCancelling
        }
        if isCancelling { body.cancel() }
        recipient.onCancel { body.cancel() }
        let timer = request.atDeadline { [scheduler] in
            let limit = TimeLimit.deadline(after: start.duration(to: scheduler.now))
            recipient.fail(
                with: HTTPError(code: .timedOut, request: request, reason: limit.words))
            body.cancel()
        }
        body.observe { [weak self] result in
            timer?.cancel()
            guard let self else { return }
            state.withLock { $0.uploads[key] = nil }
            switch result {
            case .success(let body):
                self.start(Call(request, body, since: start), for: recipient)
            case .failure(let error):
                leave()
                recipient.fail(with: HTTPError.failure(ofBody: error).naming(request))
            }
        }
    }

    private func opened(_ source: HTTPRequest.BodySource) throws -> HTTPBodyStream {
        do { return try source.open() } catch { throw HTTPError.failure(ofBody: error) }
    }
}

import PledgeFutures
import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Reads a body to its end, then makes the task of a call that has been counted by `enter()`.
    func upload(_ source: HTTPRequest.BodySource, of call: Call) throws {
        var stream = try opened(source)
        if let length = source.length { stream = stream.checkingLength(length) }
        let body = BodySpool.body(of: stream, upTo: configuration.maxSpooledBodySize)
        let key = ObjectIdentifier(call)
        call.state.withLock { $0.upload = body }
        let isCancelling = state.withLock { state in
            state.uploads[key] = call
            return state.isCancelling
        }
        // The source may take its time.
        call.exchange.expectNothing()
        call.exchange.watch { [weak self] in self?.end(call, with: $0) }
        if isCancelling { end(call, with: CancellationError()) }
        body.observe { [weak self] result in
            guard let self else { return }
            state.withLock { $0.uploads[key] = nil }
            call.state.withLock { $0.upload = nil }
            switch result {
            case .success(let body):
                call.exchange.noteSign()
                start(call, body)
            case .failure(let error):
                leave()
                call.exchange.fail(with: HTTPError.failure(ofBody: error))
            }
        }
    }

    private func opened(_ source: HTTPRequest.BodySource) throws -> HTTPBodyStream {
        do { return try source.open() } catch { throw HTTPError.failure(ofBody: error) }
    }
}

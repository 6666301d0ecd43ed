import Dispatch
import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionExchanges {
    /// Gives up an exchange whose caller wants it no more.
    func cancel(_ id: Int) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
    }

    /// Fails an exchange, and cancels its task.
    func fail(_ id: Int, with code: HTTPError.Code, cause: (any Error)? = nil) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
        entry.recipient.fail(with: entry.error(code, cause))
    }

    /// Does what an event made necessary.
    func act(on step: ExchangeMachine.Step, _ id: Int) {
        switch step {
        case .nothing, .begin, .pass: break
        case .finish(let response):
            if let entry = remove(id) { entry.recipient.succeed(with: response) }
        case .fail(let code): fail(id, with: code)
        }
    }

    /// Takes an exchange out of the table: whoever gets it tells its recipient, and nobody else does.
    func remove(_ id: Int) -> Entry? {
        let (entry, isLast) = state.withLock { state in
            let entry = state.entries.removeValue(forKey: id)
            return (entry, state.isClosed && state.entries.isEmpty)
        }
        for timer in entry?.timers ?? [] { timer.cancel() }
        if isLast { invalidateIfDone() }
        return entry
    }

    /// Refuses new calls; see ``SessionTransport/close(cancelling:)``.
    @discardableResult
    func close(cancelling: Bool) -> Future<Void> {
        let ids = state.withLock { state -> [Int] in
            state.isClosed = true
            if cancelling { state.isCancelling = true }
            return cancelling ? Array(state.entries.keys) : []
        }
        for id in ids {
            guard let entry = remove(id) else { continue }
            stop(entry.task)
            entry.recipient.fail(with: CancellationError())
        }
        invalidateIfDone()
        return closed.map { $0 }
    }

    func invalidateIfDone() {
        let session = state.withLock { state -> URLSession? in
            guard state.isClosed, state.starting == 0, state.entries.isEmpty, !state.isInvalidated
            else { return nil }
            state.isInvalidated = true
            return state.session
        }
        session?.finishTasksAndInvalidate()
    }

    /// Cancels a task: on Linux that waits for a queue of the session, which no caller must.
    func stop(_ task: URLSessionTask) { cancellations.async { task.cancel() } }
}

private let cancellations = DispatchQueue(label: "Pledge.SessionTransport.cancellations")

extension SessionExchanges.Entry {
    /// An error with all that is known of the exchange.
    func error(_ code: HTTPError.Code, _ cause: (any Error)?) -> HTTPError {
        HTTPError(code: code, request: request, response: machine.response, cause: cause)
    }
}

extension SessionExchanges.Recipient {
    func delivery(_ configuration: SessionTransport.Configuration) -> ExchangeMachine.Delivery {
        switch self {
        case .whole: .whole(upTo: configuration.maxBodySize)
        }
    }

    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        switch self {
        case .whole(let promise): promise.onCancel(handler)
        }
    }

    func succeed(with response: HTTPResponse) {
        switch self {
        case .whole(let promise): promise.resolve(with: response)
        }
    }

    func fail(with error: any Error) {
        switch self {
        case .whole(let promise): promise.reject(with: error)
        }
    }
}

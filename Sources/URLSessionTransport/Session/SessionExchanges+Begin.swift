import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionExchanges {
    /// Sends a request; whoever waits for it is told of everything, refusals included.
    func begin(_ request: HTTPRequest, for recipient: ExchangeRecipient) {
        let request = request.inCallContext()
        do {
            try request.validate()
            if let left = request.timeLeft, left <= .zero { throw HTTPError(code: .timedOut) }
            try enter()
            var call = Call(request: request, recipient: recipient, start: scheduler.now)
            do {
                switch request.body.content {
                case .none: break
                case .data(let data): call.body = .data(data)
                case .file(let url): call.body = try .file(at: url)
                case .stream(let source): return try upload(source, of: call)
                }
            } catch {
                leave()
                throw error
            }
            start(call)
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }

    /// Makes the task of a call that has entered, and lets it go.
    func start(_ call: Call) {
        guard let session = state.withLock({ $0.session }) else {
            leave()
            let error = HTTPError(code: .transportClosed, request: call.request)
            return call.recipient.fail(with: error)
        }
        let task = session.makeTask(for: call.request, call.body)
        let id = task.taskIdentifier
        let machine = ExchangeMachine(
            call.request, call.recipient.delivery(configuration),
            idleTimeout: configuration.idleTimeout, since: call.start, at: scheduler.now)
        let entry = Entry(call: call, task: task, machine: machine)
        let isCancelled = state.withLock { state in
            state.starting -= 1
            if !state.isCancelling { state.entries[id] = entry }
            return state.isCancelling
        }
        if isCancelled {
            stop(task)
            invalidateIfDone()
            return call.recipient.fail(with: CancellationError())
        }
        call.recipient.onCancel { [weak self] in self?.cancel(id) }
        setTimers(for: id, call.request)
        // While a body was read, the call may have been given up.
        if state.withLock({ $0.entries[id] != nil }) { task.resume() }
    }

    /// Lets a call in; it then has to start or to leave.
    private func enter() throws {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.starting += 1 }
            return !state.isClosed
        }
        if !isOpen { throw HTTPError(code: .transportClosed) }
    }

    /// Takes back that a call was let in.
    func leave() {
        state.withLock { $0.starting -= 1 }
        invalidateIfDone()
    }
}

extension Error {
    /// The same error with a request, where it is one that has room for it.
    func naming(_ request: HTTPRequest) -> any Error {
        guard var error = self as? HTTPError else { return self }
        error.request = error.request ?? request
        return error
    }
}

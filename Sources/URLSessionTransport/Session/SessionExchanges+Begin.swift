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
    /// Sends a request; whoever waits for it is told of everything, refusals included.
    func begin(_ request: HTTPRequest, for recipient: Recipient) {
        let request = request.inCallContext()
        do {
            try request.validate()
            if let left = request.timeLeft, left <= .zero {
                throw HTTPError(code: .timedOut, request: request)
            }
            try start(request, for: recipient)
        } catch {
            recipient.fail(with: error)
        }
    }

    private func start(_ request: HTTPRequest, for recipient: Recipient) throws {
        let session = try enter(request)
        let task: URLSessionTask
        do { task = try session.makeTask(for: request) } catch {
            leave()
            throw error
        }
        let machine = ExchangeMachine(
            request, recipient.delivery(configuration), idleTimeout: configuration.idleTimeout,
            at: scheduler.now)
        let entry = Entry(request: request, task: task, recipient: recipient, machine: machine)
        let id = task.taskIdentifier
        let isCancelled = state.withLock { state in
            state.starting -= 1
            if !state.isCancelling { state.entries[id] = entry }
            return state.isCancelling
        }
        if isCancelled {
            invalidateIfDone()
            throw CancellationError()
        }
        recipient.onCancel { [weak self] in self?.cancel(id) }
        setTimers(for: id, request)
        task.resume()
    }

    /// The session, for one that makes a task and then leaves or adds an entry.
    private func enter(_ request: HTTPRequest) throws -> URLSession {
        let session = state.withLock { state -> URLSession? in
            if state.isClosed { return nil }
            state.starting += 1
            return state.session
        }
        guard let session else { throw HTTPError(code: .transportClosed, request: request) }
        return session
    }

    private func leave() {
        state.withLock { $0.starting -= 1 }
        invalidateIfDone()
    }

    private func setTimers(for id: Int, _ request: HTTPRequest) {
        if let timeout = configuration.idleTimeout { checkIdle(id, after: timeout) }
        let timer = request.atDeadline { [weak self] in self?.fail(id, with: .timedOut) }
        if let timer { keep(timer, for: id) }
    }

    private func checkIdle(_ id: Int, after delay: Duration) {
        let timer = scheduler.schedule(after: delay) { [weak self] in
            guard let self else { return }
            let now = self.scheduler.now
            let left = self.state.withLock { $0.entries[id]?.machine.idleTimeLeft(at: now) }
            guard let left else { return }
            if left > .zero {
                self.checkIdle(id, after: left)
            } else {
                self.fail(id, with: .timedOut)
            }
        }
        keep(timer, for: id)
    }

    private func keep(_ timer: any ScheduledAction, for id: Int) {
        let isOver = state.withLock { state in
            state.entries[id]?.timers.append(timer)
            return state.entries[id] == nil
        }
        if isOver { timer.cancel() }
    }
}

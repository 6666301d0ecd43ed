import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Sends a request; its recipient gets every outcome, refusals included.
    func send(_ request: HTTPRequest, for recipient: ExchangeRecipient) {
        let request = request.inCallContext()
        do {
            try request.validate()
            if let left = request.timeLeft, left <= .zero {
                throw HTTPError(
                    code: .timedOut, reason: TimeLimit.deadline(after: .zero).words)
            }
            try enter()
            do { try prepare(request, for: recipient) } catch {
                leave()
                throw error
            }
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }

    private func prepare(_ request: HTTPRequest, for recipient: ExchangeRecipient) throws {
        let now = scheduler.now
        let body: UploadBody
        switch request.body.content {
        case .none: body = .none
        case .data(let data): body = .data(data)
        case .file(let url): body = try .file(at: url)
        case .stream(let source):
            return try upload(source, of: request, since: now, for: recipient)
        }
        start(Call(request, body, since: now), for: recipient)
    }

    /// Makes and starts the task of a call that has been counted by `enter()`.
    func start(_ call: Call, for recipient: ExchangeRecipient) {
        let (made, appSession) = state.withLock { ($0.session, $0.appSession) }
        guard let session = made else {
            leave()
            let error = HTTPError(code: .transportClosed, request: call.request)
            return recipient.fail(with: error)
        }
        let task = session.makeTask(for: call.request, call.body)
        #if !canImport(FoundationNetworking)
        if isGuest { task.delegate = self }
        #endif
        let id = task.taskIdentifier
        let machine = ExchangeMachine(
            call.request, recipient.delivery(configuration),
            idleTimeout: configuration.idleTimeout, since: call.start, at: scheduler.now)
        var entry = Entry(
            call: call, recipient: recipient, task: task, appSession: appSession, machine: machine)
        #if canImport(FoundationNetworking)
        if machine.isStreamed { entry.unread = unreadBody() }
        #endif
        let isCancelled = state.withLock { [entry] state in
            state.starting -= 1
            if !state.isCancelling { state.entries[id] = entry }
            return state.isCancelling
        }
        if isCancelled {
            stop(task)
            invalidateIfDone()
            return recipient.fail(with: CancellationError())
        }
        recipient.onCancel { [weak self] in self?.cancel(id) }
        setTimers(for: id, call.request)
        // The call may have been cancelled while its body was read.
        if state.withLock({ $0.entries[id] != nil }) { task.resume() }
    }

    /// Counts a new call; the call must then start or leave.
    ///
    /// Throws if calls are refused.
    private func enter() throws {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.starting += 1 }
            return !state.isClosed
        }
        if !isOpen { throw HTTPError(code: .transportClosed) }
    }

    /// Undoes `enter()`.
    func leave() {
        state.withLock { $0.starting -= 1 }
        invalidateIfDone()
    }
}

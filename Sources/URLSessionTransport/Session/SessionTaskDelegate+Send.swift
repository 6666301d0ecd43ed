import PledgeFutures
import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Sends a request; its recipient gets every outcome, refusals included.
    func send(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let exchange = try TransportExchange(
                request, for: recipient, within: limits, on: scheduler)
            try enter()
            do {
                try prepare(Call(exchange), request.body)
            } catch {
                leave()
                throw error
            }
        } catch {
            recipient.fail(with: error.naming(request))
        }
    }

    private func prepare(_ call: Call, _ body: HTTPRequest.Body) throws {
        switch body.content {
        case .none: start(call, .none)
        case .data(let data): start(call, .data(data))
        case .file(let url): start(call, try .file(at: url))
        case .stream(let source): try upload(source, of: call)
        }
    }

    /// Makes and starts the task of a call that has been counted by `enter()`.
    func start(_ call: Call, _ body: UploadBody) {
        let exchange = call.exchange
        let (made, appSession) = state.withLock { ($0.session, $0.appSession) }
        guard let session = made else {
            leave()
            return exchange.fail(with: HTTPError(code: .transportClosed))
        }
        let task = session.makeTask(
            for: exchange.request, body, assumingHTTP3: connecting.assumesHTTP3)
        #if !canImport(FoundationNetworking)
        if isGuest { task.delegate = self }
        #endif
        let id = task.taskIdentifier
        let entry = Entry(call: call, task: task, appSession: appSession)
        let (isCancelled, isWanted) = state.withLock { state in
            state.starting -= 1
            let isWanted = call.state.withLock { call in
                if state.isCancelling || call.isOver { return false }
                (call.task, call.body) = (id, body)
                return true
            }
            if isWanted { state.entries[id] = entry }
            return (state.isCancelling, isWanted)
        }
        guard isWanted else {
            stop(task)
            invalidateIfDone()
            if isCancelled { exchange.fail(with: CancellationError()) }
            return
        }
        if call.state.withLock({ $0.resends }) == 0 {
            exchange.watch { [weak self] in self?.end(call, with: $0) }
        }
        do {
            // URLSession does not say when a request gets a connection.
            try exchange.willSend()
        } catch {
            return fail(id, with: error) { $0() }
        }
        // The call may have ended meanwhile.
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

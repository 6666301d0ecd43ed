import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionExchanges {
    /// Asks an exchange's machine what an event means, and has it done where callers are told.
    func tell(
        _ id: Int, _ event: (inout ExchangeMachine, SchedulerInstant) -> ExchangeMachine.Command
    ) {
        let now = scheduler.now
        let command = state.withLock { state -> ExchangeMachine.Command in
            guard let index = state.entries.index(forKey: id) else { return .nothing }
            // In place: with a copy of the entry about, each piece would copy the body.
            return event(&state.entries.values[index].machine, now)
        }
        if command != .nothing { deliver { self.perform(command, id) } }
    }

    /// Calls whoever waits, one after the other.
    ///
    /// On Linux the delegate is told on URLSession's own queue, for which URLSession waits where the next
    /// request is made; elsewhere this is the delegate's queue already.
    func deliver(_ block: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
        if let appQueue { appQueue.addOperation(block) } else { callers.async(execute: block) }
        #else
        block()
        #endif
    }

    private func perform(_ command: ExchangeMachine.Command, _ id: Int) {
        switch command {
        case .nothing: break
        case .deliverHead(let head): deliver(head, of: id)
        case .pass(let data): pass(data, of: id)
        case .fail(let code): fail(id, with: code)
        case .finish(let response):
            guard let entry = remove(id) else { return }
            entry.pipe?.finish()
            entry.recipient.succeed(with: response)
        }
    }

    private func deliver(_ head: HTTPResponse, of id: Int) {
        let entry = state.withLock { state in state.entries[id].map { ($0.call, $0.recipient) } }
        guard let (call, recipient) = entry else { return }
        let isBodyless = call.request.method == .head || [204, 304].contains(head.status)
        let announced = head.headers["Content-Length"].flatMap { Int($0) }
        let (pipe, body) = HTTPBodyPipe.make(
            length: isBodyless ? 0 : announced, capacity: configuration.maxUnreadBytes)
        state.withLock { state in
            state.entries[id]?.pipe = pipe
            state.entries[id]?.recipient = .served
        }
        pipe.onCancel { [weak self] in self?.cancel(id) }
        recipient.succeed(with: head, body)
    }

    private func pass(_ data: Data, of id: Int) {
        #if canImport(FoundationNetworking)
        guard let pipe = state.withLock({ $0.entries[id]?.pipe }) else { return }
        // Nothing holds URLSession back there.
        if !pipe.offer(data) { fail(id, with: .bodyTooLarge) }
        #else
        guard let entry = state.withLock({ $0.entries[id] }), let pipe = entry.pipe else { return }
        let room = pipe.write(data)
        if room.isSettled { return }
        entry.task.suspend()
        tell(id) { machine, _ in machine.hold() }
        room.observe { [weak self] _ in
            self?.tell(id) { machine, now in machine.goOn(at: now) }
            entry.task.resume()
        }
        #endif
    }
}

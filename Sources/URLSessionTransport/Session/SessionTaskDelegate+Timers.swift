import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Fails an exchange when it has been idle for too long, or when its deadline has passed.
    ///
    /// URLSession's own limits are truncated to whole seconds on Linux, and one of them has no effect there.
    func setTimers(for id: Int, _ request: HTTPRequest) {
        if let timeout = configuration.idleTimeout { checkIdle(id, after: timeout, of: timeout) }
        let timer = request.atDeadline { [weak self] in
            guard let self else { return }
            let start = state.withLock { $0.entries[id]?.call.start }
            let time = start.map { $0.duration(to: self.scheduler.now) } ?? .zero
            fail(id, with: .timedOut, reason: TimeLimit.deadline(after: time).words)
        }
        if let timer { keep(timer, for: id) { $0.deadlineTimer = timer } }
    }

    private func checkIdle(_ id: Int, after delay: Duration, of limit: Duration) {
        let timer = scheduler.schedule(after: delay) { [weak self] in
            guard let self else { return }
            let now = scheduler.now
            let left = state.withLock { $0.entries[id]?.machine.idleTimeLeft(at: now) }
            guard let left else { return }
            if left > .zero { return checkIdle(id, after: left, of: limit) }
            fail(id, with: .timedOut, reason: TimeLimit.idle(limit).words)
        }
        keep(timer, for: id) { $0.idleTimer = timer }
    }

    /// Keeps a timer with its exchange, so that the timer ends with the exchange.
    private func keep(
        _ timer: any ScheduledAction, for id: Int, _ put: (inout Entry) -> Void
    ) {
        let isOver = state.withLock { state in
            guard let index = state.entries.index(forKey: id) else { return true }
            put(&state.entries.values[index])
            return false
        }
        if isOver { timer.cancel() }
    }
}

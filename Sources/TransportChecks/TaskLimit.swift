import Pledge

/// Limits how many tasks are in a piece of code at a time; the others wait in order.
final class TaskLimit: Sendable {
    private struct State {
        /// How many more tasks may enter; zero if some wait.
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ limit: Int) { state = Locked(State(free: limit)) }

    /// Calls a function when the limit allows it.
    ///
    /// A task that is cancelled while it waits enters nevertheless when its turn comes.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 { state.waiting.append(continuation) }
                defer { state.free = max(0, state.free - 1) }
                return state.free > 0
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

import Synchronization

extension Way {
    /// Sends requests with callbacks, a fixed number at a time, without tasks in between.
    init(
        _ name: String, calledBackAt once: Int,
        _ request: @escaping @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void
    ) {
        self.init(awaiting: name) { count in
            await withCheckedContinuation { continuation in
                let requests = CalledBackRequests(count, at: once, request) {
                    continuation.resume()
                }
                for _ in 0..<once { requests.makeNext() }
            }
        }
    }
}

/// Requests that are each sent when an earlier one has ended.
private final class CalledBackRequests: Sendable {
    private struct State {
        var left: Int
        var lanes: Int
    }

    private let state: Mutex<State>
    private let request: @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void
    private let completion: @Sendable () -> Void

    init(
        _ count: Int, at once: Int,
        _ request: @escaping @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void,
        _ completion: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(left: count, lanes: once))
        self.request = request
        self.completion = completion
    }

    func makeNext() {
        let (goesOn, isLast) = state.withLock { state in
            if state.left > 0 {
                state.left -= 1
                return (true, false)
            }
            state.lanes -= 1
            return (false, state.lanes == 0)
        }
        if goesOn { return request { self.makeNext() } }
        if isLast { completion() }
    }
}

import Synchronization

/// A mutex that several closures can hold, with the state that it guards.
final class Locked<State: Sendable>: Sendable {
    private let state: Mutex<State>

    init(_ state: State) { self.state = Mutex(state) }

    func withLock<Output: Sendable>(_ body: (inout State) -> Output) -> Output {
        state.withLock { body(&$0) }
    }
}

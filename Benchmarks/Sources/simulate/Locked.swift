import Synchronization

/// A mutex with the state that it guards; several closures can hold it.
final class Locked<State: Sendable>: Sendable {
    private let state: Mutex<State>

    init(_ state: State) { self.state = Mutex(state) }

    func withLock<Output: Sendable>(_ body: (inout State) -> Output) -> Output {
        state.withLock { body(&$0) }
    }
}

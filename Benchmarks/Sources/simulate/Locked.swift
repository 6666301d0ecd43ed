import Synchronization

/// A mutex and the state that it guards, in an object that several closures can hold.
final class Locked<State: Sendable>: Sendable {
    private let state: Mutex<State>

    init(_ state: State) { self.state = Mutex(state) }

    func withLock<Output: Sendable>(_ body: (inout State) -> Output) -> Output {
        state.withLock { body(&$0) }
    }
}

import Foundation

/// A state and an array of closures behind a lock, without any guarantee of order.
final class LockedClosures<State, Event>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State
    private var observers: [@Sendable (State?, State) -> Void] = []
    private let reduce: @Sendable (State, Event) -> State

    init(state: State, reduce: @escaping @Sendable (State, Event) -> State) {
        self.state = state
        self.reduce = reduce
    }

    func subscribe(_ observer: @escaping @Sendable (State?, State) -> Void) {
        lock.lock()
        observers.append(observer)
        let state = state
        lock.unlock()
        observer(nil, state)
    }

    func dispatch(_ event: Event) {
        lock.lock()
        let old = state
        state = reduce(old, event)
        let (new, observers) = (state, observers)
        lock.unlock()
        for observer in observers { observer(old, new) }
    }
}

internal import Dispatch
internal import Synchronization

/// An observer that is called on the main actor, in order, until it is closed.
final class MainActorObserver<State: Sendable>: Sendable {
    private let isWanted = Atomic(true)
    private let observer: @MainActor @Sendable (State?, State) -> Void

    init(_ observer: @escaping @MainActor @Sendable (State?, State) -> Void) {
        self.observer = observer
    }

    /// Schedules the call for a change.
    func receive(_ old: State?, _ new: State) {
        // The main actor's executor is the main queue, which keeps the order.
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if self.isWanted.load(ordering: .acquiring) { self.observer(old, new) }
            }
        }
    }

    /// Ends the calls, including those that are scheduled.
    func close() { isWanted.store(false, ordering: .releasing) }
}

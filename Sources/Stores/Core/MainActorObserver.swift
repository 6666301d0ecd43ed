internal import Dispatch
internal import Synchronization

/// An observer that is called on the main actor, in order, until it is not wanted any more.
final class MainActorObserver<State: Sendable>: Sendable {
    private let isWanted = Atomic(true)
    private let observer: @MainActor @Sendable (State?, State) -> Void

    init(_ observer: @escaping @MainActor @Sendable (State?, State) -> Void) {
        self.observer = observer
    }

    /// Sends a change on its way.
    func receive(_ old: State?, _ new: State) {
        // The main actor's executor is the main queue, which keeps the order.
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if self.isWanted.load(ordering: .acquiring) { self.observer(old, new) }
            }
        }
    }

    /// Ends the calls, those included that are on their way.
    func close() { isWanted.store(false, ordering: .releasing) }
}

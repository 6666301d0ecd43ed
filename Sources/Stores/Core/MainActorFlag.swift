internal import Synchronization

/// Whether calls that are on their way to the main actor are still wanted.
final class MainActorFlag: Sendable {
    private let raised = Atomic(true)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func lower() { raised.store(false, ordering: .releasing) }
}

import Synchronization

/// Decides what frees a queued call's place: the service's future, or the call's last step if it
/// comes before the service is called.
final class PlaceDecision: Sendable {
    /// Decides, the first time.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }

    private let isTaken = Atomic(false)
}

internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One who is told of a store's changes.
final class Subscriber<State: Sendable>: Sendable {
    /// Takes the state before (nil at the replay), the state after, and the version of the latter.
    typealias Receive = @Sendable (State?, State, UInt64) -> Void

    let id: UUID
    /// The version that is replayed; only newer ones follow.
    let since: UInt64
    private let receive: Receive
    private let onClose: (@Sendable () -> Void)?
    /// False from the moment that it is unsubscribed.
    private let isActive = Atomic(true)

    init(
        id: UUID, since: UInt64, onClose: (@Sendable () -> Void)? = nil,
        receive: @escaping Receive
    ) {
        self.id = id
        self.since = since
        self.onClose = onClose
        self.receive = receive
    }

    /// Tells of a change, if it is newer than what was replayed.
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        guard version > since, isActive.load(ordering: .acquiring) else { return }
        receive(old, new, version)
    }

    /// Tells of the state at the beginning.
    func replay(_ state: State) {
        guard isActive.load(ordering: .acquiring) else { return }
        receive(nil, state, since)
    }

    /// Tells nothing any more.
    func deactivate() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        onClose?()
    }
}

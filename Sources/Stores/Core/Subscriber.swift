public import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One who is told of a store's changes.
@usableFromInline
final class Subscriber<State: Sendable>: Sendable {
    /// Takes the state before (nil at the replay), the state after, and the version of the latter.
    @usableFromInline
    typealias Receive = @Sendable (State?, State, UInt64) -> Void

    @usableFromInline
    let id: UUID
    /// The version that is replayed; only newer ones follow.
    @usableFromInline
    let since: UInt64
    @usableFromInline
    let receive: Receive
    @usableFromInline
    let onClose: (@Sendable () -> Void)?
    /// False from the moment that it is unsubscribed.
    @usableFromInline
    let isActive = Atomic(true)

    @inlinable
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
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        guard version > since, isActive.load(ordering: .acquiring) else { return }
        receive(old, new, version)
    }

    /// Tells of the state at the beginning.
    @inlinable
    func replay(_ state: State) {
        guard isActive.load(ordering: .acquiring) else { return }
        receive(nil, state, since)
    }

    /// Tells nothing any more.
    @usableFromInline
    func deactivate() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        onClose?()
    }
}

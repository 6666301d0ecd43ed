public import Synchronization

/// One who is told of a store's changes.
@usableFromInline
final class Subscriber<State: Sendable>: Sendable {
    /// Takes the state before (nil at the replay) and the state after.
    @usableFromInline
    typealias Receive = @Sendable (State?, State) -> Void

    @usableFromInline
    let id: UUID
    /// The version that is replayed; only newer ones follow.
    @usableFromInline
    let since: UInt64
    @usableFromInline
    let receive: Receive
    /// Those who are behind this one, if it passes changes on to others.
    @usableFromInline
    let group: SubscriberGroup<State>?
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
        group = nil
    }

    /// Makes a subscriber that passes changes on to others, who are replayed the state each.
    @inlinable
    init(id: UUID, since: UInt64, group: SubscriberGroup<State>) {
        self.id = id
        self.since = since
        onClose = group.onClose
        receive = { _, _ in }
        self.group = group
    }

    /// Tells of a change, if it is newer than what was replayed.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        guard version > since, isActive.load(ordering: .acquiring) else { return }
        if let group { group.distribute(old, new, version) } else { receive(old, new) }
    }

    /// Tells of the state at the beginning.
    @inlinable
    func replay(_ state: State) {
        guard isActive.load(ordering: .acquiring) else { return }
        receive(nil, state)
    }

    /// Tells nothing any more.
    @usableFromInline
    func deactivate() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        onClose?()
    }
}

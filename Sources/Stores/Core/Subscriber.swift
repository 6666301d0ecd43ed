public import PledgeFutures
public import Synchronization

/// A subscriber that is notified of a store's changes.
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
    /// Where it was subscribed, if that is known.
    @usableFromInline
    let place: CodeLocation?
    /// The subscribers behind this one, if it passes changes on.
    @usableFromInline
    let group: SubscriberGroup<State>?
    @usableFromInline
    let onClose: (@Sendable () -> Void)?
    /// False once it is unsubscribed.
    @usableFromInline
    let isActive = Atomic(true)

    @inlinable
    init(
        id: UUID, since: UInt64, at place: CodeLocation?, onClose: (@Sendable () -> Void)? = nil,
        receive: @escaping Receive
    ) {
        self.place = place
        self.id = id
        self.since = since
        self.onClose = onClose
        self.receive = receive
        group = nil
    }

    /// Makes a subscriber that passes changes on to others.
    ///
    /// The state is replayed to each of these.
    @inlinable
    init(id: UUID, since: UInt64, at place: CodeLocation?, group: SubscriberGroup<State>) {
        self.place = place
        self.id = id
        self.since = since
        onClose = group.onClose
        receive = { _, _ in }
        self.group = group
    }

    /// Notifies of a change, if it is newer than the replayed version.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        guard version > since, isActive.load(ordering: .acquiring) else { return }
        if let group { group.distribute(old, new, version) } else { receive(old, new) }
    }

    /// Replays the state at the time of subscription.
    @inlinable
    func replay(_ state: State) {
        guard isActive.load(ordering: .acquiring) else { return }
        receive(nil, state)
    }

    /// Stops notifying.
    @usableFromInline
    func deactivate() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        onClose?()
    }
}

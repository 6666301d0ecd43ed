public import PledgeFutures
public import Synchronization

/// The subscribers of a store, in the order of subscription.
///
/// The first subscriber has its own property, because most stores have only one, and calling an element of an
/// array costs another retain and release: a quarter of a dispatch's time.
@usableFromInline
struct Subscribers<State: Sendable>: Sendable {
    /// Nil only if there is no subscriber.
    @usableFromInline
    var first: Subscriber<State>?
    @usableFromInline
    var others: [Subscriber<State>] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { first == nil }

    /// Notifies all subscribers of a change.
    ///
    /// - Parameter place: Set to the index of each observer before it is called.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64, noting place: borrowing Atomic<Int>)
    {
        place.store(0, ordering: .relaxed)
        first?.notify(old, new, version)
        var index = 0
        // The loop uses indexes, because an iterator would retain the array once more.
        while index < others.count {
            place.store(index + 1, ordering: .relaxed)
            others[index].notify(old, new, version)
            index += 1
        }
    }

    /// Returns the subscriber at this index; nil if there is none any more.
    func member(_ number: Int) -> Subscriber<State>? {
        number == 0 ? first : others.indices.contains(number - 1) ? others[number - 1] : nil
    }

    /// Adds a subscriber at the end.
    @usableFromInline
    mutating func append(_ subscriber: Subscriber<State>) {
        if first == nil { first = subscriber } else { others.append(subscriber) }
    }

    /// Removes the subscriber, or the member of a group, with this id, if there is one.
    ///
    /// - Returns: The subscribers that must not be notified any more; deactivate them outside the lock.
    @usableFromInline
    mutating func remove(_ id: UUID) -> Removed? {
        if let removed = removeSubscriber(id) { return Removed(subscriber: removed) }
        for subscriber in (first.map { [$0] } ?? []) + others {
            guard let member = subscriber.group?.remove(id) else { continue }
            let group = member.isLast ? removeSubscriber(subscriber.id) : nil
            return Removed(member: member, emptyGroup: group)
        }
        return nil
    }

    private mutating func removeSubscriber(_ id: UUID) -> Subscriber<State>? {
        if let removed = first, removed.id == id {
            first = others.isEmpty ? nil : others.removeFirst()
            return removed
        }
        return others.firstIndex { $0.id == id }.map { others.remove(at: $0) }
    }

    /// The result of a removal: a subscriber, or a member of a group and perhaps the empty group.
    @usableFromInline
    struct Removed {
        var subscriber: Subscriber<State>?
        var member: SubscriberGroup<State>.Removal?
        /// The group whose last member has left.
        ///
        /// It's here only to be freed outside the lock. It isn't deactivated, because it has no observer left. An
        /// observer that subscribes to the same part later joins a new group, at the end of the order.
        var emptyGroup: Subscriber<State>?

        /// Stops notifying the removed subscribers.
        func deactivate() {
            member?.deactivate()
            subscriber?.deactivate()
        }
    }

    /// Stops notifying all observers.
    func deactivate() {
        first?.deactivate()
        for other in others { other.deactivate() }
    }
}

/// One observer of a store's changes, or a group of observers of one part of the state.
@usableFromInline
final class Subscriber<State: Sendable>: Sendable {
    /// Takes the old state, which is nil at the replay, and the new state.
    @usableFromInline
    typealias Receive = @Sendable (State?, State) -> Void

    @usableFromInline
    let id: UUID
    /// The version of the replayed state; after the replay, the subscriber gets only newer versions.
    @usableFromInline
    let since: UInt64
    @usableFromInline
    let receive: Receive
    /// The place in the code that subscribed, if known.
    @usableFromInline
    let place: CodeLocation?
    /// The members, if this is a group that passes changes on to them.
    @usableFromInline
    let group: SubscriberGroup<State>?
    @usableFromInline
    let onClose: (@Sendable () -> Void)?
    /// False once the subscription has ended.
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

    /// Creates a subscriber that passes changes on to the members of a group.
    ///
    /// It ignores a replay, because each member gets its own.
    @inlinable
    init(id: UUID, since: UInt64, at place: CodeLocation?, group: SubscriberGroup<State>) {
        self.place = place
        self.id = id
        self.since = since
        onClose = group.onClose
        receive = { _, _ in }
        self.group = group
    }

    /// Delivers a change, if it is newer than the replayed version.
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

    /// Stops notifying the observer, and calls `onClose` once.
    @usableFromInline
    func deactivate() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        onClose?()
    }
}

/// The observers of one part of the state; for the store, they are one subscriber.
///
/// It is a class, because in a struct, a call of one of the three closures would retain all three.
@usableFromInline
final class SubscriberGroup<State: Sendable>: Sendable {
    /// Takes the old state, the new state, and the version of the new state.
    @usableFromInline
    let distribute: @Sendable (State, State, UInt64) -> Void
    /// Removes the member with this id, if there is one; called under the store's lock.
    @usableFromInline
    let remove: @Sendable (UUID) -> Removal?
    /// Stops notifying the members.
    @usableFromInline
    let onClose: @Sendable () -> Void

    /// A removed member.
    @usableFromInline
    struct Removal: Sendable {
        /// Stops notifying the member; called outside all locks.
        @usableFromInline
        let deactivate: @Sendable () -> Void
        /// True if it was the last member; the store then removes the group.
        @usableFromInline
        let isLast: Bool

        @inlinable
        init(isLast: Bool, deactivate: @escaping @Sendable () -> Void) {
            self.isLast = isLast
            self.deactivate = deactivate
        }
    }

    @inlinable
    init(
        distribute: @escaping @Sendable (State, State, UInt64) -> Void,
        remove: @escaping @Sendable (UUID) -> Removal?,
        onClose: @escaping @Sendable () -> Void
    ) {
        self.distribute = distribute
        self.remove = remove
        self.onClose = onClose
    }
}

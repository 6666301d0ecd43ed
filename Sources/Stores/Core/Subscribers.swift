public import PledgeFutures
public import Synchronization

/// The subscribers of a store, or the members of a group, found by their ids in constant time.
@usableFromInline
struct Subscribers<State: Sendable>: Sendable {
    /// The subscribers in the order of subscription.
    @usableFromInline
    private(set) var list = SubscriberList<State>()
    /// By the id of each subscriber but the first: its index in the list's `others`.
    private var places: [UUID: Int] = [:]
    /// By the id of each member of a group: the id of the group.
    private var groups: [UUID: UUID] = [:]
    /// The number of subscribers that were removed from the list's `others`, and left a gap there.
    private var gaps = 0
    /// The index in `others` before which there are only gaps.
    private var start = 0

    @usableFromInline
    init() {}

    /// Adds a subscriber at the end.
    @usableFromInline
    mutating func append(_ subscriber: Subscriber<State>) {
        if list.isEmpty {
            list.first = subscriber
        } else {
            places[subscriber.id] = list.others.count
            list.others.append(subscriber)
        }
    }

    /// Notes that a group, which is one of the subscribers, has a new member.
    @usableFromInline
    mutating func add(member: UUID, to group: UUID) { groups[member] = group }

    /// Removes the subscriber, or the member of a group, with this id, if there is one.
    ///
    /// - Returns: The subscribers that must not be notified any more; deactivate them outside the lock.
    @usableFromInline
    mutating func remove(_ id: UUID) -> Removed? {
        if let removed = removeSubscriber(id) { return Removed(subscriber: removed) }
        guard let groupID = groups.removeValue(forKey: id),
            let member = subscriber(groupID)?.group?.remove(id)
        else { return nil }
        return Removed(
            member: member, emptyGroup: member.isLast ? removeSubscriber(groupID) : nil)
    }

    private func subscriber(_ id: UUID) -> Subscriber<State>? {
        list.first?.id == id ? list.first : places[id].flatMap { list.others[$0] }
    }

    private mutating func removeSubscriber(_ id: UUID) -> Subscriber<State>? {
        if let first = list.first, first.id == id {
            list.first = takeSecond()
            return first
        }
        return places[id].flatMap { removeSubscriber(at: $0) }
    }

    /// Removes the oldest subscriber but the first.
    private mutating func takeSecond() -> Subscriber<State>? {
        while start < list.others.count {
            if let second = removeSubscriber(at: start) { return second }
            start += 1
        }
        return nil
    }

    private mutating func removeSubscriber(at place: Int) -> Subscriber<State>? {
        guard let subscriber = list.others[place] else { return nil }
        list.others[place] = nil
        places[subscriber.id] = nil
        gaps += 1
        if gaps > places.count { closeGaps() }
        return subscriber
    }

    /// Moves the subscribers together, once the gaps are more than the subscribers.
    private mutating func closeGaps() {
        list.others.removeAll { $0 == nil }
        for (place, subscriber) in list.others.enumerated() {
            if let subscriber { places[subscriber.id] = place }
        }
        (gaps, start) = (0, 0)
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
}

/// Subscribers in the order of subscription.
///
/// The first subscriber has its own property, because most stores have only one, and calling an element of an
/// array costs another retain and release: a quarter of a dispatch's time.
@usableFromInline
struct SubscriberList<State: Sendable>: Sendable {
    /// Nil only if there is no subscriber.
    @usableFromInline
    var first: Subscriber<State>?
    /// The other subscribers; nil where one was removed.
    @usableFromInline
    var others: [Subscriber<State>?] = []

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
            others[index]?.notify(old, new, version)
            index += 1
        }
    }

    /// Notifies all subscribers, the members of a group, of a change.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        first?.notify(old, new, version)
        for other in others { other?.notify(old, new, version) }
    }

    /// Returns the subscriber at this index; nil if there is none any more.
    func member(_ number: Int) -> Subscriber<State>? {
        number == 0 ? first : others.indices.contains(number - 1) ? others[number - 1] : nil
    }

    /// Stops notifying all observers.
    @usableFromInline
    func deactivate() {
        first?.deactivate()
        for other in others { other?.deactivate() }
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

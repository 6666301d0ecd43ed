public import PledgeFutures
public import Synchronization

/// A store's subscribers, or a group's members, found by id in constant time.
@usableFromInline
struct Subscribers<State: Sendable>: Sendable {
    /// In the order of subscription.
    @usableFromInline
    private(set) var list = SubscriberList<State>()
    /// Each subscriber's index in the list's `others`; the first one has none.
    private var places: [UUID: Int] = [:]
    /// The group of each member.
    private var groups: [UUID: UUID] = [:]
    /// How many removed subscribers have left a gap in the list's `others`.
    private var gaps = 0
    /// Before this index in `others`, there are only gaps.
    private var start = 0

    @usableFromInline
    init() {}

    @usableFromInline
    mutating func append(_ subscriber: Subscriber<State>) {
        if list.isEmpty {
            list.first = subscriber
        } else {
            places[subscriber.id] = list.others.count
            list.others.append(subscriber)
        }
    }

    /// Records a new member of a group, which is one of the subscribers.
    @usableFromInline
    mutating func add(member: UUID, to group: UUID) { groups[member] = group }

    /// Removes the subscriber, or the member of a group, with this id.
    ///
    /// - Returns: Whoever must not be notified any more; deactivate them outside the lock.
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

    /// Moves the subscribers together once there are more gaps than subscribers.
    private mutating func closeGaps() {
        list.others.removeAll { $0 == nil }
        for (place, subscriber) in list.others.enumerated() {
            if let subscriber { places[subscriber.id] = place }
        }
        (gaps, start) = (0, 0)
    }

    /// A removed subscriber, or a member with perhaps its now empty group.
    @usableFromInline
    struct Removed {
        var subscriber: Subscriber<State>?
        var member: SubscriberGroup<State>.Removal?
        /// The group whose last member has left, to be freed outside the lock.
        ///
        /// It isn't deactivated, because it has no observer. A later observer of the same part joins a new group, at
        /// the end of the order.
        var emptyGroup: Subscriber<State>?

        func deactivate() {
            member?.deactivate()
            subscriber?.deactivate()
        }
    }
}

/// Subscribers in order.
///
/// The first has a property of its own: most stores have only one, and an array's element would cost another retain and
/// release, a quarter of a dispatch.
@usableFromInline
struct SubscriberList<State: Sendable>: Sendable {
    /// Nil only if there is no subscriber.
    @usableFromInline
    var first: Subscriber<State>?
    /// The others; nil where one was removed.
    @usableFromInline
    var others: [Subscriber<State>?] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { first == nil }

    /// Notifies all subscribers.
    ///
    /// - Parameter place: Set to each observer's index before it's called.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64, noting place: borrowing Atomic<Int>)
    {
        place.store(0, ordering: .relaxed)
        first?.notify(old, new, version)
        var index = 0
        // By index, because an iterator would retain the array once more.
        while index < others.count {
            place.store(index + 1, ordering: .relaxed)
            others[index]?.notify(old, new, version)
            index += 1
        }
    }

    /// Notifies the members of a group.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        first?.notify(old, new, version)
        for other in others { other?.notify(old, new, version) }
    }

    func member(_ number: Int) -> Subscriber<State>? {
        number == 0 ? first : others.indices.contains(number - 1) ? others[number - 1] : nil
    }

    @usableFromInline
    func deactivate() {
        first?.deactivate()
        for other in others { other?.deactivate() }
    }
}

/// An observer of a store's changes, or a group of observers of one part.
@usableFromInline
final class Subscriber<State: Sendable>: Sendable {
    /// Gets the old state, which is nil at the replay, and the new state.
    @usableFromInline
    typealias Receive = @Sendable (State?, State) -> Void

    @usableFromInline
    let id: UUID
    /// The replayed version; only newer ones are delivered afterwards.
    @usableFromInline
    let since: UInt64
    @usableFromInline
    let receive: Receive
    /// Where the code subscribed, if known.
    @usableFromInline
    let place: CodeLocation?
    /// Set if this passes changes on to the members of a group.
    @usableFromInline
    let group: SubscriberGroup<State>?
    @usableFromInline
    let onClose: (@Sendable () -> Void)?
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

    /// Passes changes on to a group.
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

    /// Delivers a change that is newer than the replayed version.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        guard version > since, isActive.load(ordering: .acquiring) else { return }
        if let group { group.notifyMembers(old, new, version) } else { receive(old, new) }
    }

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

/// The observers of one part; one subscriber to the store.
///
/// A class, because calling one of the three closures of a struct would retain all three.
@usableFromInline
final class SubscriberGroup<State: Sendable>: Sendable {
    /// Gets the old state, the new state, and its version.
    @usableFromInline
    let notifyMembers: @Sendable (State, State, UInt64) -> Void
    /// Removes a member; called under the store's lock.
    @usableFromInline
    let remove: @Sendable (UUID) -> Removal?
    /// Stops notifying the members.
    @usableFromInline
    let onClose: @Sendable () -> Void

    @usableFromInline
    struct Removal: Sendable {
        /// Stops notifying the member; called outside all locks.
        @usableFromInline
        let deactivate: @Sendable () -> Void
        /// True for the last member; the store then removes the group.
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
        notifyMembers: @escaping @Sendable (State, State, UInt64) -> Void,
        remove: @escaping @Sendable (UUID) -> Removal?,
        onClose: @escaping @Sendable () -> Void
    ) {
        self.notifyMembers = notifyMembers
        self.remove = remove
        self.onClose = onClose
    }
}

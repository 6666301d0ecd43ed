public import Synchronization

/// The subscribers that are notified of a store's changes, in the order of subscription.
///
/// The first has a property of its own: most stores have one subscriber, and a call of an element of an array
/// costs a retain and a release more, a quarter of the time of a dispatch.
@usableFromInline
struct Subscribers<State: Sendable>: Sendable {
    /// Nil only if there is no member.
    @usableFromInline
    var first: Subscriber<State>?
    @usableFromInline
    var others: [Subscriber<State>] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { first == nil }

    /// Notifies all of a change.
    ///
    /// - Parameter place: Gets the number of the observer that is called.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64, noting place: borrowing Atomic<Int>)
    {
        place.store(0, ordering: .relaxed)
        first?.notify(old, new, version)
        var index = 0
        // An index: an iterator would retain the array once more.
        while index < others.count {
            place.store(index + 1, ordering: .relaxed)
            others[index].notify(old, new, version)
            index += 1
        }
    }

    /// The subscriber with a number, if it is still there.
    func member(_ number: Int) -> Subscriber<State>? {
        number == 0 ? first : others.indices.contains(number - 1) ? others[number - 1] : nil
    }

    /// Adds a subscriber at the end.
    @usableFromInline
    mutating func append(_ subscriber: Subscriber<State>) {
        if first == nil { first = subscriber } else { others.append(subscriber) }
    }

    /// Removes the subscriber with an id, if there is one; it may be a member of a group.
    ///
    /// - Returns: The subscribers that must not be notified any more; the caller deactivates them outside the
    ///   lock.
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

    /// The removed subscribers.
    @usableFromInline
    struct Removed {
        var subscriber: Subscriber<State>?
        var member: SubscriberGroup<State>.Removal?
        /// The group whose last member has left.
        ///
        /// It is kept only to be freed outside the lock: it has no observer to notify, and an observer that
        /// becomes a member meanwhile has another place.
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

/// Those who are told of a store's changes, in the order of subscription.
///
/// The first stands by itself: most stores have one subscriber, and to call one out of an array
/// takes a retain and a release more, which was a quarter of a dispatch.
@usableFromInline
struct Audience<State: Sendable>: Sendable {
    /// Nil only if there is no member.
    @usableFromInline
    var first: Subscriber<State>?
    @usableFromInline
    var others: [Subscriber<State>] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { first == nil }

    /// Tells all of a change.
    @inlinable
    func notify(_ old: State, _ new: State, _ version: UInt64) {
        first?.notify(old, new, version)
        var index = 0
        // An index, as an iterator would retain the array once more.
        while index < others.count {
            others[index].notify(old, new, version)
            index += 1
        }
    }

    /// Adds one, who comes last.
    @usableFromInline
    mutating func append(_ subscriber: Subscriber<State>) {
        if first == nil { first = subscriber } else { others.append(subscriber) }
    }

    /// Takes out the one with an id, if there is one, be it a member of a group.
    ///
    /// - Returns: Those that are to be told nothing any more, outside the lock.
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

    /// Who was taken out.
    @usableFromInline
    struct Removed {
        var subscriber: Subscriber<State>?
        var member: SubscriberGroup<State>.Removal?
        /// The group whose last member has left.
        ///
        /// It is here only to be freed outside the lock: it has no observer to tell, and an
        /// observer that becomes a member meanwhile has another place.
        var emptyGroup: Subscriber<State>?

        /// Tells who was taken out nothing any more.
        func deactivate() {
            member?.deactivate()
            subscriber?.deactivate()
        }
    }

    /// Tells no observer anything any more.
    func deactivate() {
        first?.deactivate()
        for other in others { other.deactivate() }
    }
}

public import PledgeFutures

/// The observers of a part of a store's state.
///
/// While it has members, it is one subscriber of the store: it compares the part and passes changes on. Their
/// replays are entries of the store's queue. Its lock is taken inside the store's, never around it.
///
/// It lives as long as it has a member, or a derived store that can add one. The members are kept by the
/// store, so a subscription does not end with the derived store that made it.
@usableFromInline
final class Derivation<State: Sendable, Event: Sendable, Part: Sendable & Equatable>:
    StateSource
{
    @usableFromInline
    struct Members: Sendable {
        @usableFromInline
        var list: [Subscriber<Part>] = []
        /// This derivation's id among the store's subscribers.
        @usableFromInline
        var group: UUID?

        @inlinable
        init() {}
    }

    @usableFromInline
    let core: StoreCore<State, Event>
    @usableFromInline
    let part: @Sendable (State) -> Part
    @usableFromInline
    let members = Locked(Members())

    @inlinable
    init(of core: StoreCore<State, Event>, _ part: @escaping @Sendable (State) -> Part) {
        self.core = core
        self.part = part
    }

    @inlinable
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)?,
        _ receive: @escaping Subscriber<Part>.Receive
    ) -> UUID {
        let (id, group) = (UUID(), UUID())
        core.enterReplay { values in
            let member = Subscriber<Part>(
                id: id, since: values.version, at: place, onClose: onClose, receive: receive)
            let isFirst = members.withLock { members in
                members.list.append(member)
                guard members.group == nil else { return false }
                members.group = group
                return true
            }
            if isFirst {
                values.subscribers.append(subscriber(group, since: values.version, at: place))
            }
            let state = values.state
            return { [part] in member.replay(part(state)) }
        }
        return id
    }

    @inlinable
    func ending(_ id: UUID) -> @Sendable () -> Void { core.ending(id) }

    @inlinable
    var state: Part { part(core.state) }

    @usableFromInline
    var versioned: (state: Part, version: UInt64) {
        let now = core.versioned
        return (part(now.state), now.version)
    }

    @usableFromInline
    func newer(than known: Part, _ version: UInt64) -> (state: Part, version: UInt64)? {
        let now = versioned
        return now.version == version || now.state == known ? nil : now
    }

    @inlinable
    func derived<Smaller: Equatable & Sendable>(
        _ smaller: @escaping @Sendable (Part) -> Smaller
    ) -> any StateSource<Smaller> {
        Derivation<State, Event, Smaller>(of: core) { [part] in smaller(part($0)) }
    }

    /// This derivation's members, as one subscriber of the store.
    @inlinable
    func subscriber(
        _ id: UUID, since version: UInt64, at place: CodeLocation?
    ) -> Subscriber<State> {
        Subscriber(
            id: id, since: version, at: place,
            group: SubscriberGroup(
                distribute: { [members, part] old, new, version in
                    let parts = (old: part(old), new: part(new))
                    guard parts.old != parts.new else { return }
                    for member in members.withLock({ $0.list }) {
                        member.notify(parts.old, parts.new, version)
                    }
                },
                remove: { [members] id in members.withLock { $0.remove(id) } },
                onClose: { [members] in
                    for member in members.withLock({ $0.takeAll() }) { member.deactivate() }
                }))
    }
}

extension Derivation.Members {
    /// Removes the member with an id, if there is one.
    @inlinable
    mutating func remove(_ id: UUID) -> SubscriberGroup<State>.Removal? {
        guard let index = list.firstIndex(where: { $0.id == id }) else { return nil }
        let member = list.remove(at: index)
        if list.isEmpty { group = nil }
        return .init(isLast: list.isEmpty) { member.deactivate() }
    }

    /// Removes all members.
    @inlinable
    mutating func takeAll() -> [Subscriber<Part>] {
        defer { self = Self() }
        return list
    }
}

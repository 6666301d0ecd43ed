public import PledgeFutures

/// A source of states with subscribers: a store's whole state, or one part of it.
///
/// Stores and derived stores build on it.
@usableFromInline
protocol StateSource<State>: Sendable {
    associatedtype State: Sendable

    var state: State { get }

    /// The state and its version; a newer state has a greater version.
    var versioned: (state: State, version: UInt64) { get }

    /// Returns the state and its version; nil if the state is still the known one.
    func stateIfNewer(than known: State, since version: UInt64) -> (state: State, version: UInt64)?

    /// Adds a subscriber, and replays the state to it.
    ///
    /// Every way to subscribe calls this method.
    ///
    /// - Parameters:
    ///   - place: The place in the code that subscribes, for reports; nil if unknown.
    ///   - onClose: Called once, when the subscription ends or the store is released.
    ///   - receive: Called with the old state, which is nil at the replay, and the new state.
    /// - Returns: A token that ends the subscription, and keeps nothing alive.
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)?,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> ObserverToken

    /// Returns a source for a part of this state.
    func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> any StateSource<Part>
}

extension StateSource {
    /// Calls an observer on the main actor.
    func subscribeOnMainActor(
        at place: CodeLocation, _ observer: @escaping @MainActor @Sendable (State?, State) -> Void
    ) -> ObserverToken {
        let observer = MainActorObserver<(State?, State)> { observer($0.0, $0.1) }
        return subscribe(at: place, onClose: { observer.close() }) { observer.receive(($0, $1)) }
    }

    /// A stream of states that keeps only the newest unread one, and ends when the store is released.
    var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let token = subscribe(at: nil, onClose: { continuation.finish() }) { _, new in
            continuation.yield(new)
        }
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }
}

/// The observers of a part of a store's state.
///
/// The observers are the members of a group. While the group has members, the store has one subscriber for all of them.
/// This subscriber compares the part before and after each change, and notifies the members if the part differs. The
/// first call of a new member, with the current part, is a separate entry in the store's queue. A thread that holds the
/// store's lock may take the lock of the members. A thread that holds the lock of the members must not take the store's
/// lock.
///
/// The store keeps the members, but not this object. So a subscription doesn't end when the derived store that
/// made it is released.
@usableFromInline
final class Derivation<State: Sendable, Event: Sendable, Part: Sendable & Equatable>:
    StateSource
{
    @usableFromInline
    struct Members: Sendable {
        @usableFromInline
        var subscribers = Subscribers<Part>()
        /// The id of the one subscriber that stands for all members in the store; nil if there are no members.
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
    ) -> ObserverToken {
        let (id, group) = (UUID(), UUID())
        core.enterReplay { values in
            let member = Subscriber<Part>(
                id: id, since: values.version, at: place, onClose: onClose, receive: receive)
            let (isFirst, group) = members.withLock { $0.append(member, newGroup: group) }
            if isFirst {
                values.subscribers.append(subscriber(group, since: values.version, at: place))
            }
            values.subscribers.add(member: id, to: group)
            let state = values.state
            return { [part] in member.replay(part(state)) }
        }
        return core.token(of: id)
    }

    @inlinable
    var state: Part { part(core.state) }

    @usableFromInline
    var versioned: (state: Part, version: UInt64) {
        let now = core.versioned
        return (part(now.state), now.version)
    }

    @usableFromInline
    func stateIfNewer(than known: Part, since version: UInt64) -> (state: Part, version: UInt64)? {
        let now = versioned
        return now.version == version || now.state == known ? nil : now
    }

    @inlinable
    func derived<Smaller: Equatable & Sendable>(
        _ smaller: @escaping @Sendable (Part) -> Smaller
    ) -> any StateSource<Smaller> {
        Derivation<State, Event, Smaller>(of: core) { [part] in smaller(part($0)) }
    }

    /// Returns this derivation's members as one subscriber of the store.
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
                    let list = members.withLock { $0.subscribers.list }
                    list.notify(parts.old, parts.new, version)
                },
                remove: { [members] id in members.withLock { $0.remove(id) } },
                onClose: { [members] in members.withLock { $0.takeAll() }.deactivate() }))
    }
}

extension Derivation.Members {
    /// Adds a member.
    ///
    /// - Parameter newGroup: The id of the group if this is its first member.
    /// - Returns: Whether it is the first member, and the id of the group.
    @usableFromInline
    mutating func append(_ member: Subscriber<Part>, newGroup: UUID) -> (isFirst: Bool, UUID) {
        subscribers.append(member)
        if let group { return (false, group) }
        group = newGroup
        return (true, newGroup)
    }

    /// Removes the member with this id, if there is one.
    @usableFromInline
    mutating func remove(_ id: UUID) -> SubscriberGroup<State>.Removal? {
        guard let member = subscribers.remove(id)?.subscriber else { return nil }
        let isLast = subscribers.list.isEmpty
        if isLast { group = nil }
        return .init(isLast: isLast) { member.deactivate() }
    }

    /// Removes all members.
    @usableFromInline
    mutating func takeAll() -> SubscriberList<Part> {
        defer { self = Self() }
        return subscribers.list
    }
}

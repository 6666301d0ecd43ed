public import PledgeFutures

/// States with subscribers: a store's state or a part of it.
@usableFromInline
protocol StateSource<State>: Sendable {
    associatedtype State: Sendable

    var state: State { get }

    /// A newer state has a greater version.
    var versioned: (state: State, version: UInt64) { get }

    /// Nil if the state is still the known one.
    func stateIfNewer(than known: State, since version: UInt64) -> (state: State, version: UInt64)?

    /// Adds a subscriber, and replays the state to it. Every way to subscribe comes here.
    ///
    /// - Parameters:
    ///   - place: Where the code subscribes, for reports.
    ///   - onClose: Called once, when the subscription ends or the store is released.
    ///   - receive: Gets the old state, which is nil at the replay, and the new one.
    /// - Returns: A token that ends the subscription, and keeps nothing alive.
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)?,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> ObserverToken

    func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> any StateSource<Part>
}

extension StateSource {
    func subscribeOnMainActor(
        at place: CodeLocation, _ observer: @escaping @MainActor @Sendable (State?, State) -> Void
    ) -> ObserverToken {
        let observer = MainActorObserver<(State?, State)> { observer($0.0, $0.1) }
        return subscribe(at: place, onClose: { observer.close() }) { observer.receive(($0, $1)) }
    }

    /// Keeps only the newest unread state, and ends when the store is released.
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
/// They are the members of a group. For all of them together, the store has one subscriber, which compares the part
/// before and after each change, and notifies the members if it differs. A new member's replay is a separate entry in
/// the store's queue.
///
/// Lock order: the store's lock before the members'.
///
/// The store keeps the members, but not this object, so a subscription outlives the derived store that made it.
@usableFromInline
final class Derivation<State: Sendable, Event: Sendable, Part: Sendable & Equatable>:
    StateSource
{
    @usableFromInline
    struct Members: Sendable {
        @usableFromInline
        var subscribers = Subscribers<Part>()
        /// The subscriber that stands for all members in the store; nil without members.
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

    /// The members as one subscriber of the store.
    @inlinable
    func subscriber(
        _ id: UUID, since version: UInt64, at place: CodeLocation?
    ) -> Subscriber<State> {
        Subscriber(
            id: id, since: version, at: place,
            group: SubscriberGroup(
                notifyMembers: { [members, part] old, new, version in
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
    @usableFromInline
    mutating func append(_ member: Subscriber<Part>, newGroup: UUID) -> (isFirst: Bool, UUID) {
        subscribers.append(member)
        if let group { return (false, group) }
        group = newGroup
        return (true, newGroup)
    }

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

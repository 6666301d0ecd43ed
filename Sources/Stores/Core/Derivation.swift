public import Futures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a derived store's observers are kept, whatever the store is that the part is of.
@usableFromInline
protocol DerivationSource<Part>: Sendable {
    associatedtype Part: Sendable & Equatable

    func subscribe(
        onClose: (@Sendable () -> Void)?, _ receive: @escaping Subscriber<Part>.Receive
    ) -> UUID
    func unsubscribe(_ id: UUID)
    func derived<Smaller: Equatable & Sendable>(
        _ part: @escaping @Sendable (Part) -> Smaller
    ) -> any DerivationSource<Smaller>
    func close()
}

/// The observers of a part of a store's state.
///
/// While there are any, it is one subscriber of the store: it compares the part and passes
/// changes on. Their replays are entries of the store's queue. Its lock is taken inside the store's,
/// never around it.
@usableFromInline
final class Derivation<State: Sendable, Event: Sendable, Part: Sendable & Equatable>:
    DerivationSource
{
    @usableFromInline
    struct Members: Sendable {
        @usableFromInline
        var list: [Subscriber<Part>] = []
        /// This derivation's place among the store's subscribers.
        @usableFromInline
        var place: UUID?

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
        onClose: (@Sendable () -> Void)?, _ receive: @escaping Subscriber<Part>.Receive
    ) -> UUID {
        let (id, place) = (UUID(), UUID())
        core.enterReplay { values in
            let member = Subscriber<Part>(
                id: id, since: values.version, onClose: onClose, receive: receive)
            let isFirst = members.withLock { members in
                members.list.append(member)
                guard members.place == nil else { return false }
                members.place = place
                return true
            }
            if isFirst { values.audience.append(subscriber(place, since: values.version)) }
            let state = values.state
            return { [part] in member.replay(part(state)) }
        }
        return id
    }

    @inlinable
    func unsubscribe(_ id: UUID) {
        core.trapIfReducing("unsubscribe")
        // Both locks, so that nobody subscribes between the last member and the place.
        let member = core.values.withLock { values in
            members.withLock { members -> Subscriber<Part>? in
                guard let index = members.list.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                defer {
                    if members.list.isEmpty {
                        if let place = members.place { _ = values.audience.remove(place) }
                        members.place = nil
                    }
                }
                return members.list.remove(at: index)
            }
        }
        member?.deactivate()
    }

    @inlinable
    func derived<Smaller: Equatable & Sendable>(
        _ smaller: @escaping @Sendable (Part) -> Smaller
    ) -> any DerivationSource<Smaller> {
        Derivation<State, Event, Smaller>(of: core) { [part] in smaller(part($0)) }
    }

    @inlinable
    func close() {
        let (list, place) = members.withLock { members in
            defer { members = Members() }
            return (members.list, members.place)
        }
        for member in list { member.deactivate() }
        if let place { core.unsubscribe(place) }
    }

    @inlinable
    func subscriber(_ place: UUID, since version: UInt64) -> Subscriber<State> {
        Subscriber(
            id: place, since: version,
            distribute: { [members, part] old, new, version in
                let parts = (old: part(old), new: part(new))
                guard parts.old != parts.new else { return }
                for member in members.withLock({ $0.list }) {
                    member.notify(parts.old, parts.new, version)
                }
            })
    }
}

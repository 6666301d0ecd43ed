/// The subscribers of a part of a store's state: together they are one subscriber of the store.
///
/// A class: with three closures in a struct, each would be retained for a call of one.
@usableFromInline
final class SubscriberGroup<State: Sendable>: Sendable {
    /// Takes the state before, the state after, and the version of the latter.
    @usableFromInline
    let distribute: @Sendable (State, State, UInt64) -> Void
    /// Removes the member with an id, if there is one, under the store's lock.
    @usableFromInline
    let remove: @Sendable (UUID) -> Removal?
    /// Stops notifying the members.
    @usableFromInline
    let onClose: @Sendable () -> Void

    /// A removed member.
    @usableFromInline
    struct Removal: Sendable {
        /// Stops notifying it; called outside all locks.
        @usableFromInline
        let deactivate: @Sendable () -> Void
        /// Whether it was the last, so that the group is removed from the store.
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

/// Those who are told of a part of a store's state: together they are one of its subscribers.
///
/// A class, as three closures would be retained to call one.
@usableFromInline
final class SubscriberGroup<State: Sendable>: Sendable {
    /// Takes the state before, the state after, and the version of the latter.
    @usableFromInline
    let distribute: @Sendable (State, State, UInt64) -> Void
    /// Takes out the member with an id, if there is one, under the store's lock.
    @usableFromInline
    let remove: @Sendable (UUID) -> Removal?
    /// Tells the members nothing any more.
    @usableFromInline
    let onClose: @Sendable () -> Void

    /// A member that was taken out.
    @usableFromInline
    struct Removal: Sendable {
        /// Tells it nothing any more; called outside all locks.
        @usableFromInline
        let deactivate: @Sendable () -> Void
        /// Whether it was the last, so that the group has no place any more.
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

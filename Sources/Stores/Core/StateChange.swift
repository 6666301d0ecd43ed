/// A change, as the thread that made it uses it outside the lock.
///
/// It keeps the old state until no lock is held: objects of the old state may use the store when they are
/// freed.
@usableFromInline
struct StateChange<State: Sendable> {
    @usableFromInline let old: State
    @usableFromInline let new: State
    @usableFromInline let version: UInt64
    @usableFromInline let subscribers: Subscribers<State>
    /// Whether this thread notifies the observers, without an entry in the queue.
    @usableFromInline let isToBeTold: Bool

    @inlinable
    init(
        _ old: State, _ new: State, _ version: UInt64, _ subscribers: Subscribers<State>,
        isToBeTold: Bool
    ) {
        self.old = old
        self.new = new
        self.version = version
        self.subscribers = subscribers
        self.isToBeTold = isToBeTold
    }
}

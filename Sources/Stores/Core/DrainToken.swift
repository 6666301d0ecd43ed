public import Synchronization

/// The turn to drain a store's queue: whether a thread has it.
///
/// A thread takes it under the store's lock and ends it without the lock, so that a dispatch without
/// contention takes the lock once.
@usableFromInline
struct DrainToken: ~Copyable, Sendable {
    /// No thread drains.
    ///
    /// Next: taken.
    @usableFromInline static var idle: UInt8 { 0 }
    /// A thread drains, and the queue holds no more.
    ///
    /// Next: idle, or more.
    @usableFromInline static var taken: UInt8 { 1 }
    /// A thread drains, and entries wait for it.
    ///
    /// Next: taken.
    @usableFromInline static var more: UInt8 { 2 }

    @usableFromInline
    let word = Atomic<UInt8>(0)

    @inlinable
    init() {}

    /// Takes the turn, if no thread has it; otherwise notes for the thread that has it that there is more.
    ///
    /// It is called under the lock that guards the queue. If it returns false, the entry has to be put in the
    /// queue before the lock is released.
    @inlinable
    func take() -> Bool {
        // Only the holder of the lock takes an idle turn, so a load and a store are enough.
        while word.load(ordering: .acquiring) != Self.idle {
            // The draining thread may be about to end its turn.
            let found = word.compareExchange(
                expected: Self.taken, desired: Self.more, ordering: .relaxed)
            if found.exchanged || found.original == Self.more { return false }
        }
        word.store(Self.taken, ordering: .relaxed)
        return true
    }

    /// Ends the turn.
    ///
    /// - Returns: False if there is more: the turn is not over.
    @inlinable
    func end() -> Bool {
        word.compareExchange(
            expected: Self.taken, desired: Self.idle, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Notes that the thread with the turn has taken all entries that waited.
    ///
    /// Called under the lock.
    @inlinable
    func goOn() { word.store(Self.taken, ordering: .relaxed) }
}

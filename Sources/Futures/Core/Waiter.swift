internal import CFutures
public import Synchronization

/// Something enrolled on a pending future: an observer, a suspended task, or a derived future.
///
/// This type is public only because ``Future`` inherits from it; it has no public members.
///
/// ## Who owns whom
///
/// A pending future owns the waiters in its list (one retain each), and a waiter refers to the
/// future it waits for, its *upstream*, without owning it. So there is no cycle, and a promise goes
/// away with its last outside reference however much derives from it.
///
/// The unowned reference is safe to follow in three situations, and is followed in no other:
/// 1. By the thread that delivers: it holds the upstream.
/// 2. By the one thread that has moved this waiter from pending to `leaving`. Whoever settles or
///    frees the upstream meets this waiter in the list it took, and waits until the waiter is no
///    longer `leaving` (``waitUntilLeft()``) before it lets go.
/// 3. By a thread that has this waiter locked and found it pending. The same thread as in 2 then
///    waits for the lock.
///
/// Nothing is released, and no code of a user's runs, between the first and the last instruction of
/// such a phase; so the waits are short, and none can wait for itself.
public class Waiter: @unchecked Sendable {
    /// See ``Word``.
    ///
    /// Everything below is written by the thread that made the waiter before it is enrolled, and
    /// after that under the rule that stands beside it.
    @usableFromInline
    let word: Atomic<UInt>

    /// The next older waiter of the same upstream.
    ///
    /// Guarded by the upstream's word; owned by the thread that took the list once the upstream
    /// settled.
    @usableFromInline
    final var next: Unmanaged<Waiter>?

    /// The next newer waiter of the same upstream, filled in only when somebody leaves (see
    /// `FutureNode.unlink`).
    ///
    /// Guarded by the upstream's lock.
    @usableFromInline
    final var previous: Unmanaged<Waiter>?

    /// What this waits for.
    ///
    /// Changes only under this waiter's own lock.
    @usableFromInline
    final var upstream: Unmanaged<FutureNode>?

    /// What to do once the upstream has settled: a function without captures, formed where the
    /// types are known, so that it is specialised (a generic override would not be).
    @usableFromInline
    final var deliver: Delivery

    /// Whether this is in the list of `upstream`.
    ///
    /// Guarded by the upstream's lock, and meaningless once the upstream has settled.
    @usableFromInline
    final var isLinked = false

    /// Whether this future only waits to take over the result of its upstream.
    ///
    /// Guarded by this waiter's own lock.
    @usableFromInline
    final var isForwarding = false

    /// Whether this is a future that others settle from outside, and that therefore has no upstream.
    @usableFromInline
    final let isRoot: Bool

    /// Whether all that ever waited have given up once.
    ///
    /// Guarded by this waiter's own lock.
    @usableFromInline
    final var wasGivenUp = false

    /// A function that hands the result of a settled future to one of its waiters.
    @usableFromInline
    typealias Delivery = @Sendable (Waiter, FutureNode) -> Void

    @usableFromInline
    init(word: UInt, isRoot: Bool, deliver: @escaping Delivery) {
        self.word = Atomic(word)
        self.isRoot = isRoot
        self.deliver = deliver
    }

    /// Hands what must be undone when this waiter gives up to the thread that does it.
    ///
    /// Runs while the waiter is `leaving`: it may move references, and release none.
    func surrender(to departure: inout Departure) {}

    /// Lets go of the user's closure, which will not be called any more.
    func dropClosure() {}
}

extension Waiter {
    /// Whether this may still be delivered to.
    @usableFromInline
    final var isPending: Bool {
        word.load(ordering: .relaxed) & (Word.claimed | Word.settled) == 0
    }

    /// Locks a pending waiter.
    ///
    /// Waits while another thread has it locked.
    /// - Returns: False if the waiter is claimed or settled; it is not locked then.
    final func lockIfPending() -> Bool {
        var spins: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 { return false }
            // Acquiring: all that the last holder of the lock wrote is seen.
            if current & Word.locked == 0, exchange(current, for: current | Word.locked) {
                return true
            }
            cfutures_relax(&spins)
        }
    }

    /// Locks a waiter that is pending and not locked, or gives up at once.
    final func tryLock() -> Bool {
        let current = word.load(ordering: .relaxed)
        return current & Word.flags == 0 && exchange(current, for: current | Word.locked)
    }

    /// Unlocks, leaving the list as it is.
    final func unlock() {
        // Only the holder writes a locked word, so what is read here is current.
        unlock(to: word.load(ordering: .relaxed) & ~Word.locked)
    }

    /// Unlocks to another word.
    ///
    /// Releasing: the next holder sees all that was written.
    final func unlock(to newWord: UInt) {
        word.store(newWord, ordering: .releasing)
    }

    /// Moves a waiter that has no list of its own from pending to another word.
    /// - Returns: False if somebody else was first.
    final func claim(as newWord: UInt) -> Bool {
        var spins: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 { return false }
            if current & Word.locked == 0, exchange(current, for: newWord) { return true }
            cfutures_relax(&spins)
        }
    }

    /// Waits until the thread that gave this waiter up, if there is one, no longer touches the
    /// upstream.
    ///
    /// Acquiring: what that thread did to the upstream has happened before.
    @usableFromInline
    final func waitUntilLeft() {
        var spins: UInt32 = 0
        while true {
            let current = word.load(ordering: .acquiring)
            let isClaimed = current & (Word.claimed | Word.settled) == Word.claimed
            if current != Word.leaving && !isClaimed { return }
            cfutures_relax(&spins)
        }
    }

    /// One compare-and-exchange that both sees what came before and publishes what was done.
    private func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.weakCompareExchange(
            expected: expected, desired: desired,
            successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
        ).exchanged
    }
}

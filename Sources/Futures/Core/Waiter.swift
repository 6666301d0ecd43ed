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
/// The unowned reference may be followed in three situations, and is followed in no other:
/// 1. By the thread that delivers: it holds the upstream.
/// 2. By the one thread that has moved this waiter from pending to `leaving`. Whoever settles or
///    frees the upstream meets this waiter in the list it took, and waits until the waiter is no
///    longer `leaving` (`waitUntilLeft()`) before it lets go.
/// 3. By a thread that has this waiter locked and found it pending. The same thread as in 2 then
///    waits for the lock.
///
/// In 2 and 3 the *memory* of the upstream is valid, and a derived upstream is alive, since its own
/// upstream's list owns it. A root may be in its deinit, or enter it at any moment, so there the
/// reference is followed by `retainUpstream()`, which fails in a deinit.
///
/// Nothing is released, and no code of a user's runs, between the first and the last instruction of
/// such a phase: a release could be the last one of a promise, whose deinit would wait for this very
/// thread. So the waits are short, and none can wait for itself.
///
/// The fields are `@exclusivity(unchecked)`: each access is one load or store, so none can overlap
/// another on the same thread, and the run-time check was 0.4 of all instructions of a chain of maps.
public class Waiter: @unchecked Sendable {
    /// See ``Word``.
    ///
    /// Everything below, and in ``Links``, is written by the thread that made the waiter before it is
    /// enrolled, and after that under the rule that stands beside it.
    @usableFromInline
    let word: Atomic<UInt>

    /// Whether the upstream is a root, so that no list keeps it alive.
    ///
    /// Changes with it. (It stands here, among the small ones, so that no room is lost. So do the next
    /// two, which are of no use to a root either.)
    @usableFromInline
    @exclusivity(unchecked)
    final var upstreamIsRoot = false

    /// Whether this is in the list of `upstream`.
    ///
    /// Guarded by the upstream's lock, and meaningless once the upstream has settled.
    @usableFromInline
    @exclusivity(unchecked)
    final var isLinked = false

    /// Whether this future only waits to take over the result of its upstream.
    ///
    /// Guarded by this waiter's own lock.
    @usableFromInline
    @exclusivity(unchecked)
    final var isForwarding = false

    /// Whether all that ever waited have given up once.
    ///
    /// Guarded by this waiter's own lock.
    @usableFromInline
    @exclusivity(unchecked)
    final var wasGivenUp = false

    /// Where the links of this are.
    ///
    /// Never changes once this is made.
    @usableFromInline
    @exclusivity(unchecked)
    final var linksOffset = Links.Offset.none

    /// A function that hands the result of a settled future to one of its waiters.
    @usableFromInline
    typealias Delivery = @Sendable (Waiter, FutureNode) -> Void

    @inlinable
    init(word: UInt) {
        self.word = Atomic(word)
    }

    /// Hands what must be undone when this waiter gives up to the thread that does it.
    ///
    /// Runs while the waiter is `leaving`: it may move references, and release none.
    func surrender(to departure: inout Departure) {}

    /// Lets go of the user's closure, since this was given up, and leaves nothing to be delivered.
    ///
    /// Called at most once, by whoever has taken this waiter out of a list, in no phase.
    func withdraw() {}
}

extension Waiter {
    /// A reference for a list, or for others who give it back by `release()`.
    ///
    /// The retain has happened when this returns. That of `Unmanaged.passRetained` may be moved past the
    /// store that lets another thread find this, which may give the reference back before there is one.
    @usableFromInline
    final func retained() -> Unmanaged<Waiter> {
        .fromOpaque(cfutures_retain(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Sets what this waits for.
    @usableFromInline
    final func wait(for upstream: FutureNode) {
        self.upstream = .passUnretained(upstream)
        upstreamIsRoot = upstream.isRoot
    }

    /// The upstream, retained; nil if there is none, as for a root, or if it is in its deinit.
    ///
    /// For a thread in the second or third situation. The result is to be released after the phase.
    final func retainUpstream() -> FutureNode? {
        guard !isRoot, let upstream else { return nil }
        // Owned by a list for as long as the phase lasts.
        guard upstreamIsRoot else {
            return Unmanaged.fromOpaque(cfutures_retain(upstream.toOpaque())).takeRetainedValue()
        }
        protocolStep()
        guard let object = cfutures_try_retain(upstream.toOpaque()) else { return nil }
        protocolStep()
        return Unmanaged.fromOpaque(object).takeRetainedValue()
    }
}

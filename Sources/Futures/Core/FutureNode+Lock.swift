internal import CPledgeFutures
public import Synchronization

extension FutureNode {
    /// Whether this may still be delivered to.
    ///
    /// Relaxed: a hint. Code that acts on it locks, and acquires by that.
    @inlinable final var isPending: Bool { word.load(ordering: .relaxed) & StateWord.settled == 0 }

    /// Locks a pending node.
    ///
    /// Waits while another thread has it locked.
    /// - Returns: False if the node has settled; it is not locked then.
    @usableFromInline
    final func lockIfPending() -> Bool {
        var turns: UInt32 = 0
        while true {
            // Acquiring: a thread that reads a settled word then reads the result.
            let current = word.load(ordering: .acquiring)
            if current & StateWord.settled != 0 { return false }
            if current & StateWord.locked == 0, exchange(current, for: current | StateWord.locked) {
                return true
            }
            cfutures_relax(&turns)
        }
    }

    /// Locks a node that is pending and not locked; otherwise returns false at once.
    final func tryLock() -> Bool {
        let current = word.load(ordering: .relaxed)
        guard current & StateWord.flags == 0 else { return false }
        return exchange(current, for: current | StateWord.locked)
    }

    /// The list of this locked node: the word without its flags.
    ///
    /// Relaxed: only the holder of the lock writes a locked word.
    @inlinable final var list: UInt { word.load(ordering: .relaxed) & ~StateWord.flags }

    /// Unlocks, leaving the list as it is.
    @inlinable final func unlock() { unlock(to: list) }

    /// Unlocks to another word.
    ///
    /// Releasing: the next holder, and every thread that finds this settled, sees all that was
    /// written.
    @inlinable
    final func unlock(to newWord: UInt) {
        word.store(newWord, ordering: .releasing)
    }

    /// Copies something under the lock, for use after it.
    ///
    /// - Returns: What `read` returns, with references of its own; nil if the node has settled.
    final func copied<Copy>(_ read: () -> Copy) -> Copy? {
        guard lockIfPending() else { return nil }
        let copy = read()
        cfutures_retain_before_this()
        unlock()
        return copy
    }

    /// Moves a waiter, which has no list of its own, from pending to another word.
    /// - Returns: False if another thread was first.
    final func claim(as newWord: UInt) -> Bool {
        guard lockIfPending() else { return false }
        unlock(to: newWord)
        return true
    }

    /// Waits until the thread that gave this node up, if there is one, no longer touches the upstream.
    ///
    /// Acquiring, the counterpart of the store of `failure` in `Cancellation.step` and `detach`: what that thread did to
    /// the upstream has happened before this returns, and this thread may free the upstream. A thread that finds
    /// `failure` at once needs it as well. A weaker load would pass every test: on x86 it is the same instruction, and
    /// ThreadSanitizer sees no access of that thread after its store.
    final func waitUntilDetached() {
        var turns: UInt32 = 0
        while word.load(ordering: .acquiring) == StateWord.detaching { cfutures_relax(&turns) }
    }

    /// One compare-and-exchange that takes the lock.
    ///
    /// Acquiring: all that the last holder wrote is seen. Relaxed if it fails: the caller loads the word
    /// again, or returns.
    private func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.weakCompareExchange(
            expected: expected, desired: desired,
            successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }
}

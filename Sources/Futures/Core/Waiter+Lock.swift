internal import CFutures
public import Synchronization

extension Waiter {
    /// Whether this may still be delivered to.
    ///
    /// Relaxed: a hint. Whoever acts on it claims or locks, and acquires by that.
    @inlinable
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
            // Relaxed: who finds it settled waits, by an acquiring load, before it reads anything.
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 { return false }
            // Acquiring: all that the last holder of the lock wrote is seen.
            protocolStep()
            if current & Word.locked == 0, exchange(current, for: current | Word.locked) {
                protocolStep()
                return true
            }
            cfutures_relax(&spins)
        }
    }

    /// Locks a waiter that is pending and not locked, or gives up at once.
    final func tryLock() -> Bool {
        // Relaxed: only the exchange that takes the lock reads what it guards.
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
        protocolStep()
        word.store(newWord, ordering: .releasing)
        protocolStep()
    }

    /// Moves a waiter that has no list of its own from pending to another word.
    /// - Returns: False if somebody else was first.
    final func claim(as newWord: UInt) -> Bool {
        var spins: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 { return false }
            protocolStep()
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
    ///
    /// Acquiring is for those who lock; releasing for those who claim, such as a task that then sees
    /// that it was delivered to. Relaxed where it fails: the caller loads the word anew, or gives up.
    private func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.weakCompareExchange(
            expected: expected, desired: desired,
            successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
        ).exchanged
    }
}

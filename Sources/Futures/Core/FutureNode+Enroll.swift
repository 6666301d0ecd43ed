internal import CFutures
import Synchronization

extension FutureNode {
    /// Adds a new waiter, which nobody else knows yet; or delivers to it if this has settled.
    ///
    /// - Parameter waiter: With a reference, which passes to the list. So a caller who keeps none does
    ///   not release what another thread may be delivering to by then.
    @usableFromInline
    final func enroll(_ waiter: Unmanaged<Waiter>) {
        waiter._withUnsafeGuaranteedRef {
            $0.wait(for: self)
            $0.isLinked = true
        }
        var spins: UInt32 = 0
        while true {
            // Acquiring: if it has settled, the result is read by whoever delivers.
            let current = word.load(ordering: .acquiring)
            if current & Word.settled != 0 { break }
            if current & Word.locked == 0 {
                waiter._withUnsafeGuaranteedRef { $0.next = Self.waiter(at: current) }
                // Releasing: the waiter's fields are seen by whoever takes the list. Relaxed where it
                // fails: the next turn loads the word anew.
                let desired = Self.address(of: waiter) | current & Word.claimed
                protocolStep()
                let (exchanged, _) = word.weakCompareExchange(
                    expected: current, desired: desired,
                    successOrdering: .releasing, failureOrdering: .relaxed)
                if exchanged { return }
            }
            cfutures_relax(&spins)
        }
        waiter._withUnsafeGuaranteedRef { $0.next = nil }
        protocolStep()
        hand(waiter)
    }

    /// Adds a waiter that other threads know already and may give up at any time; or delivers to it
    /// if this has settled; or gives up its interest in its stead.
    ///
    /// The caller holds this future.
    final func enrollShared(_ waiter: Waiter) {
        if waiter.lockIfPending() {
            waiter.wait(for: self)
            waiter.isLinked = false
            waiter.unlock()
            link(waiter)
        } else {
            waiter.waitUntilLeft()
            giveUpInterest()
        }
    }

    /// The second half of `enrollShared`, for a waiter whose `upstream` is this future already.
    ///
    /// It goes by the lock, not by a push: whoever gives the waiter up locks this too, so one of the
    /// two is first, and the second sees what the first did.
    final func link(_ waiter: Waiter) {
        guard lockIfPending() else {
            // Claimed: the result will be there in a moment.
            waitUntilSettled()
            return waiter.deliver(waiter, self)
        }
        guard waiter.isPending else {
            unlock()
            // The thread that gave the waiter up may still be looking at this future.
            waiter.waitUntilLeft()
            return giveUpInterest()
        }
        // Relaxed: this thread holds the lock, and nobody else writes a locked word.
        waiter.next = Self.waiter(at: word.load(ordering: .relaxed))
        waiter.previous = nil
        waiter.isLinked = true
        unlock(to: Self.address(of: waiter.retained()))
    }

    /// Waits for a producer that has claimed this future to publish its result.
    final func waitUntilSettled() {
        var spins: UInt32 = 0
        while !isSettled { cfutures_relax(&spins) }
    }
}

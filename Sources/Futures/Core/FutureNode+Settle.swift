internal import CFutures
import Synchronization

extension FutureNode {
    /// Wins or loses the right to settle, where that takes its time: waiters still enroll.
    ///
    /// The winner writes the result and calls `publish`.
    @usableFromInline
    final func claim() -> Bool { take(as: Word.claimed) != nil }

    /// Wins or loses the right to settle at once.
    ///
    /// The winner writes the result and calls `settle`, and nothing else: those who would enroll wait
    /// for it. In return it needs no second exchange, since the list does not change any more.
    /// - Returns: The list; nil for the loser.
    @usableFromInline
    final func close() -> UInt? { take(as: Word.closed) }

    /// Adds bits that keep all others from settling this.
    /// - Returns: The list at that moment; nil if somebody else was first.
    private func take(as bits: UInt) -> UInt? {
        var spins: UInt32 = 0
        while true {
            // Relaxed: who loses reads nothing here, and who wins acquires below.
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 { return nil }
            if current & Word.locked == 0 {
                protocolStep()
                // Acquiring: the cancel handlers were installed under the lock, and `close` hands out
                // the waiters.
                let (exchanged, _) = word.weakCompareExchange(
                    expected: current, desired: current | bits,
                    successOrdering: .acquiring, failureOrdering: .relaxed)
                if exchanged { return current }
            }
            cfutures_relax(&spins)
        }
    }

    /// Settles a closed future, once its result is in place, and delivers to those who wait.
    @usableFromInline
    final func settle(_ list: UInt, as newWord: UInt) {
        let handlers = takeHandlers()
        protocolStep()
        // A closed word is written by nobody else. Releasing: the result is seen by who sees the word.
        word.store(newWord, ordering: .releasing)
        if list != 0 { distribute(list) }
        // A handler's last reference may run a user's deinit, which must not find this closed.
        withExtendedLifetime(handlers) {}
    }

    /// Publishes the result that the winner of `claim` has written, and takes the list.
    @usableFromInline
    final func publish(_ newWord: UInt) -> UInt {
        protocolStep()
        // Nobody locks a claimed word, so it can be replaced whatever list it holds by now.
        // Releasing: the result is seen by who sees the word; acquiring: so are the waiters here.
        return word.exchange(newWord, ordering: .acquiringAndReleasing) & ~Word.flags
    }

    /// Settles a claimed derived future, once its result is in place, and delivers to those who wait.
    final func finish(_ newWord: UInt) {
        let list = publish(newWord)
        if list != 0 { distribute(list) }
    }

    /// Settles with an error, from any thread.
    /// - Returns: False if it was settled already.
    @usableFromInline
    final func fail(_ failure: Failure) -> Bool {
        guard let list = close() else { return false }
        let handlers = attach(failure)
        settle(list, as: Word.failure)
        withExtendedLifetime(handlers) {}
        return true
    }

    /// Settles a derived future whose value is in place already: only its one deliverer writes that,
    /// so no claim is needed, and one exchange does all.
    /// - Returns: False if the future was given up in the meantime.
    @usableFromInline
    final func finishDerived() -> Bool {
        var spins: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & (Word.claimed | Word.settled) != 0 {
                waitUntilLeft()
                return false
            }
            if current & Word.locked == 0 {
                protocolStep()
                // Releasing: the value is seen by who sees the word. Acquiring: so are the waiters of
                // the list here, which `close` or `publish` acquires for the others.
                let (exchanged, _) = word.weakCompareExchange(
                    expected: current, desired: Word.value,
                    successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
                if exchanged {
                    if current != 0 { distribute(current) }
                    return true
                }
            }
            cfutures_relax(&spins)
        }
    }

    /// Settles a derived future with its upstream's error, or with one that a transform threw.
    /// - Returns: False if the future was given up in the meantime.
    @usableFromInline
    @discardableResult
    final func failDerived(_ failure: Failure) -> Bool {
        if fail(failure) { return true }
        waitUntilLeft()
        return false
    }
}

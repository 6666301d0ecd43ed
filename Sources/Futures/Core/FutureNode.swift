internal import CFutures
public import Synchronization

/// The part of a future that does not depend on its type of value: its state, and those who wait.
///
/// This type is public only because ``Future`` inherits from it; it has no public members.
public class FutureNode: Waiter, @unchecked Sendable {
    /// The error, once settled with one.
    ///
    /// Written by the thread that claimed the word, or that holds its lock; read only where an
    /// acquiring load found the word settled.
    @usableFromInline
    @exclusivity(unchecked)
    final var failure: Failure?

    /// What the producer wants to hear of a cancellation.
    ///
    /// Guarded by the lock, then by the claim.
    @usableFromInline
    @exclusivity(unchecked)
    final var cancelHandlers: CancelHandlers?

    @inlinable
    override init(word: UInt, role: Role, deliver: @escaping Delivery) {
        super.init(word: word, role: role, deliver: deliver)
    }

    override func surrender(to departure: inout Departure) {
        if let handlers = cancelHandlers {
            departure.call(handlers)
            cancelHandlers = nil
        }
    }

    /// Hears that one of the inputs of this future has settled.
    ///
    /// Only an aggregate has inputs.
    /// - Returns: Whether the caller is to release this future, which it does not hold otherwise.
    func inputSettled(_ input: InputWaiter) -> Bool { false }

    /// Hears that the time of this future is over.
    ///
    /// Only one with a timeout has any.
    @usableFromInline
    func timeIsOver() {}
}

// MARK: - Enrolling

extension FutureNode {
    /// Whether the future has settled.
    ///
    /// Acquiring: the result may be read if so.
    @inlinable
    package final var isSettled: Bool { word.load(ordering: .acquiring) & Word.settled != 0 }

    /// Whether the future has settled with a value.
    ///
    /// It asks for no generic type, so it costs next to nothing in generic code, where ``Future/result``
    /// would look up the type of its result at run time.
    @inlinable
    package final var hasSucceeded: Bool { word.load(ordering: .acquiring) == Word.value }

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
        unlock(to: Self.address(of: .passRetained(waiter)))
    }

    /// Waits for a producer that has claimed this future to publish its result.
    final func waitUntilSettled() {
        var spins: UInt32 = 0
        while !isSettled { cfutures_relax(&spins) }
    }

    /// The waiter that the pointer bits of a word name.
    final class func waiter(at word: UInt) -> Unmanaged<Waiter>? {
        UnsafeRawPointer(bitPattern: word & ~Word.flags).map(Unmanaged.fromOpaque)
    }

    /// The pointer bits that name a waiter.
    final class func address(of waiter: Unmanaged<Waiter>) -> UInt {
        UInt(bitPattern: waiter.toOpaque())
    }
}

// MARK: - Settling

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
        let handlers = cancelHandlers
        if handlers != nil { cancelHandlers = nil }
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

    /// Settles a claimed future, once its value is in place, and delivers to those who wait.
    @usableFromInline
    final func finish(_ newWord: UInt) {
        let handlers = cancelHandlers
        if handlers != nil { cancelHandlers = nil }
        let list = publish(newWord)
        if list != 0 { distribute(list) }
    }

    /// Settles with an error, from any thread.
    /// - Returns: False if it was settled already.
    @usableFromInline
    final func fail(_ failure: Failure) -> Bool {
        guard let list = close() else { return false }
        self.failure = failure
        settle(list, as: Word.failure)
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

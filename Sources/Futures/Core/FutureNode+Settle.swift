internal import CFutures
import Synchronization

extension FutureNode {
    /// Settles this locked future, once its result is in place, and delivers to its waiters.
    ///
    /// - Parameters:
    ///   - newWord: `value` or `failure`.
    ///   - handlers: The cancel handlers, which are not needed any more.
    @usableFromInline
    final func settle(as newWord: UInt, discarding handlers: Unmanaged<CancelHandlers>?) {
        let list = list
        unlock(to: newWord)
        if list != 0 { distribute(list) }
        if let handlers { Self.discard(handlers) }
    }

    /// Settles with an error, from any thread.
    /// - Returns: False if it was settled already.
    @usableFromInline
    final func fail(_ failure: Failure) -> Bool {
        guard lockIfPending() else { return false }
        settle(as: StateWord.failure, discarding: attach(failure))
        return true
    }

    /// Settles a derived future whose value is in place already: only its one deliverer writes that,
    /// so it needs no lock, and one exchange does all.
    /// - Returns: False if the future was given up in the meantime.
    @usableFromInline
    final func finishDerived() -> Bool {
        var turns: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & StateWord.settled != 0 {
                waitUntilDetached()
                return false
            }
            if current & StateWord.locked == 0 {
                // Releasing: a thread that sees the word sees the value. Acquiring: this thread sees the
                // nodes of the list.
                let (exchanged, _) = word.weakCompareExchange(
                    expected: current, desired: StateWord.value,
                    successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
                if exchanged {
                    if current != 0 { distribute(current) }
                    return true
                }
            }
            cfutures_relax(&turns)
        }
    }

    /// Settles a derived future with its upstream's error, or with one that a transform threw.
    /// - Returns: False if the future was given up in the meantime.
    @usableFromInline
    @discardableResult
    final func failDerived(_ failure: Failure) -> Bool {
        if fail(failure) { return true }
        waitUntilDetached()
        return false
    }

    /// Settles a locked future from below: gives up what it waits for, notifies the producers that have lost
    /// the last interest, and then delivers to the waiters of this.
    ///
    /// Every future that settles before its upstream or its inputs ends here: a future that is
    /// cancelled or late, and an aggregate that needs no more inputs. So when a waiter continues here, for
    /// example with another call, the call before it has been given up by its producer. Only a root has
    /// handlers of its own; they are called after its waiters.
    final func settleGivingUp(as newWord: UInt, calling handlers: Unmanaged<CancelHandlers>? = nil)
    {
        let list = list
        unlock(to: newWord)
        var cancellation = Cancellation()
        if let handlers { cancellation.call(handlers) }
        cancellation.detach(self)
        if !isRoot { cancellation.finish() }
        if list != 0 { distribute(list) }
        if isRoot { cancellation.finish() }
    }

    /// Fails all that waits for a promise in its deinit; a promise that does not reject releases it instead.
    ///
    /// A delivery may be deferred until after the promise is freed, so the nodes first get another upstream:
    /// a future that has failed already.
    final func abandon(_ failure: Failure, to heir: FutureNode) {
        // No other thread owns this. A thread that gives up may still read it, but sees that it is in its
        // deinit, and does not retain it (see `retainUpstream`).
        guard lockIfPending() else { return }
        let handlers = attach(failure)
        let list = list
        unlock(to: StateWord.failure)
        if list == 0 { FutureReports.noteUnobserved(self) }
        defer { if let handlers { Self.discard(handlers) } }
        if isSilent { return Self.forget(list) }
        guard let newest = Self.node(at: list) else { return }
        Self.forEach(from: newest) { node in
            node._withUnsafeGuaranteedRef {
                if $0.lockIfPending() {
                    $0.upstream = .passUnretained(heir)
                    $0.unlock()
                } else {
                    // Given up, or about to be; that thread may be reading this promise.
                    $0.waitUntilDetached()
                    // No other thread dereferences it any more, but a deferred node is delivered to from its
                    // upstream like all others.
                    $0.upstream = .passUnretained(heir)
                }
            }
        }
        heir.distribute(list)
    }

    /// Releases the nodes of a list that will never be delivered to, now or in their turn.
    class final func forget(_ list: UInt) {
        guard let newest = node(at: list) else { return }
        // At once, since their upstream is about to be freed.
        forEach(from: newest) { node in
            node._withUnsafeGuaranteedRef { $0.loseUpstream() }
        }
        guard enterDelivery() else { return putOff { releaseAll(from: newest) } }
        releaseAll(from: newest)
        leaveDelivery()
    }

    private class final func releaseAll(from newest: Unmanaged<FutureNode>) {
        forEach(from: newest) { node in
            node._withUnsafeGuaranteedRef { $0.upstreamWasLost() }
            node.release()
        }
    }

    /// Calls a closure with each node of a list that belongs to this thread; it may release the node.
    private class final func forEach(
        from newest: Unmanaged<FutureNode>, _ body: (Unmanaged<FutureNode>) -> Void
    ) {
        var current: Unmanaged<FutureNode>? = newest
        while let node = current {
            current = node._withUnsafeGuaranteedRef { $0.next }
            body(node)
        }
    }
}

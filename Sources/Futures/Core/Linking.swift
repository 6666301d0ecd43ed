import Synchronization

/// How a loop of `flatMap`s stays in constant memory.
///
/// In `func loop() -> Future<…> { step().flatMap { _ in loop() } }` each turn's future waits for the
/// next turn's: after n turns there would be a chain of n futures that only pass a result on. So a
/// future in the middle of such a chain is taken out: if it only forwards, nobody outside holds it,
/// and its only waiter is itself a forwarding future, then that waiter takes its place in the list
/// of its upstream. (Twitter's Promise calls the idea `become`, Scala's `Link`; unlike there, no
/// two futures ever become one, since they may be cancelled apart.)
extension FutureNode {
    /// Waits for another future, to settle as that one does.
    ///
    /// Called by the one deliverer of this.
    @usableFromInline
    final func forward(from inner: FutureNode, deliver: @escaping Delivery) {
        if inner === self {
            failDerived(Failure(FutureError(.cycle)))
            return
        }
        guard lockIfPending() else {
            // Cancelled while the closure ran: what it has started loses this interest at once.
            waitUntilLeft()
            inner.giveUpInterest()
            return
        }
        wait(for: inner)
        isLinked = false
        isForwarding = true
        self.deliver = deliver
        unlock()
        protocolStep()
        inner.link(self)
    }

    /// Takes the place of the future above this one, if that only forwards to this.
    ///
    /// Called after `forward`, once the closure's own reference to that future is gone.
    @usableFromInline
    final func shorten() {
        guard isForwarding, lockIfPending() else { return }
        // Pending and locked, so the upstream cannot go (third situation in `Waiter`).
        guard !upstreamIsRoot, let middle = upstream,
            middle._withUnsafeGuaranteedRef({ $0.tryLock() })
        else { return unlock() }
        let splice = Splice(middle, for: .passUnretained(self), callerRetains: false)
        unlock()
        withExtendedLifetime(splice) {}
    }

    /// Hands the only waiter of a forwarding future to that future's upstream.
    ///
    /// - Parameter waiter: A forwarding future, of which the caller owns one retain.
    /// - Returns: Whether it was taken out. The retain is gone then.
    final class func bypass(_ waiter: Unmanaged<Waiter>) -> Bool {
        let middle = Unmanaged<FutureNode>.fromOpaque(waiter.toOpaque())
        guard let only = middle._withUnsafeGuaranteedRef({ $0.lockWithOnlyWaiter() }) else {
            return false
        }
        let splice = Splice(middle, for: only, callerRetains: true)
        only._withUnsafeGuaranteedRef { $0.unlock() }
        return withExtendedLifetime(splice) { splice.isDone }
    }

    /// Shortens the chain above, then locks this future and its only waiter, if that is a
    /// forwarding future.
    private func lockWithOnlyWaiter() -> Unmanaged<Waiter>? {
        shorten()
        // Mostly nobody waits; one load tells. Relaxed: a hint, looked at again under the lock.
        guard Self.waiter(at: word.load(ordering: .relaxed)) != nil, lockIfPending() else {
            return nil
        }
        // Relaxed, here and below: the word is locked, and written by this thread alone.
        if let only = Self.waiter(at: word.load(ordering: .relaxed)),
            // Against the usual direction, hence no waiting.
            only._withUnsafeGuaranteedRef({ $0.next == nil && $0.tryLock() })
        {
            if only._withUnsafeGuaranteedRef({ $0.isForwarding }) { return only }
            only._withUnsafeGuaranteedRef { $0.unlock() }
        }
        unlock()
        return nil
    }

    /// Puts one waiter in the place of another in the list of this locked future.
    fileprivate func replace(_ old: Unmanaged<FutureNode>, with new: Unmanaged<Waiter>) {
        fillInPrevious()
        let (next, previous) = old._withUnsafeGuaranteedRef { ($0.next, $0.previous) }
        next?._withUnsafeGuaranteedRef { $0.previous = new }
        if let previous {
            previous._withUnsafeGuaranteedRef { $0.next = new }
        } else {
            // Relaxed: still locked; unlocking releases.
            word.store(Self.address(of: new) | Word.locked, ordering: .relaxed)
        }
        new._withUnsafeGuaranteedRef {
            $0.next = next
            $0.previous = previous
            // The new upstream may be a root, where the old one was derived.
            $0.wait(for: self)
            $0.isLinked = true
        }
    }
}

/// Puts the only waiter of a future in that future's place, in the list of its upstream.
///
/// What it has retained on the way is released with it, so it must outlive all locks.
private struct Splice {
    /// Whether the future in the middle was taken out.
    private(set) var isDone = false
    private var upstream: FutureNode?
    private var middle: FutureNode?

    /// Tries to take a future out.
    ///
    /// - Parameters:
    ///   - middle: The future to take out, locked; unlocked again if it has to stay.
    ///   - only: A forwarding future, locked by the caller, who unlocks it.
    ///   - callerRetains: Whether the caller owns a retain of `middle`, to be given up on success.
    init(_ middle: Unmanaged<FutureNode>, for only: Unmanaged<Waiter>, callerRetains: Bool) {
        let isCandidate = middle._withUnsafeGuaranteedRef {
            $0.isForwarding && $0.isOnlyWaiter(only)
        }
        if isCandidate {
            upstream = middle._withUnsafeGuaranteedRef { $0.retainUpstream() }
            // Against the usual direction, hence no waiting.
            if let upstream, upstream.tryLock() {
                let isLinked = middle._withUnsafeGuaranteedRef { $0.isLinked }
                protocolStep()
                if isLinked { take(middle, of: upstream, for: only, callerRetains) }
                upstream.unlock()
            }
        }
        if !isDone { middle._withUnsafeGuaranteedRef { $0.unlock() } }
    }

    /// Takes the middle out of the list of its locked upstream, if nobody else holds it.
    private mutating func take(
        _ middle: Unmanaged<FutureNode>, of upstream: FutureNode, for only: Unmanaged<Waiter>,
        _ callerRetains: Bool
    ) {
        // The caller's retain, and the list's. While the upstream is locked, the list keeps its own.
        if callerRetains { middle.release() }
        var owned = middle.takeRetainedValue()
        isDone = isKnownUniquelyReferenced(&owned)
        if isDone {
            protocolStep()
            upstream.replace(middle, with: only)
            // A weak reference may still bring it back. Nothing leads to it any more, so whoever
            // gets it finds it settled; left locked, it would let him wait without end.
            owned.attachment = .failure(.cancelled)
            owned.unlock(to: Word.failure)
        } else {
            _ = owned.retained()
            if callerRetains { _ = owned.retained() }
        }
        self.middle = owned
    }
}

extension FutureNode {
    /// Whether a waiter is the only one in the list of this locked future.
    fileprivate func isOnlyWaiter(_ waiter: Unmanaged<Waiter>) -> Bool {
        Self.waiter(at: word.load(ordering: .relaxed))?.toOpaque() == waiter.toOpaque()
            && waiter._withUnsafeGuaranteedRef({ $0.next == nil })
    }
}

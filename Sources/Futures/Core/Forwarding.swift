import Synchronization

/// How a loop of `flatMap`s stays in constant memory.
///
/// In `func loop() -> Future<…> { step().flatMap { _ in loop() } }` each turn's future waits for
/// the next turn's: after n turns there would be a chain of n futures that only pass a result on.
/// So a future in the middle of such a chain is removed: if it only forwards, has no references from outside,
/// and exactly one node waits for it, a forwarding future too, then that node takes its place in the list of
/// its upstream. (Twitter's Promise calls the idea `become`, Scala's `Link`; unlike there, no two futures
/// ever become one, because they may be cancelled apart.)
extension FutureNode {
    /// Waits for another future, to settle as it does.
    ///
    /// Called by the one deliverer of this.
    final func forward(from inner: FutureNode, deliver: @escaping Delivery) {
        guard lockIfPending() else {
            // Cancelled while the closure ran: this interest in what it has started is given up at once.
            waitUntilDetached()
            inner.giveUpInterest()
            return
        }
        upstream = .passUnretained(inner)
        isEnrolled = false
        isForwarding = true
        self.deliver = deliver
        unlock()
        // The check comes after that, so that of two futures which adopt each other at the same time one
        // finds the cycle.
        if let cycle = cycle(through: inner) {
            failDerived(Failure(cycle))
        } else {
            inner.enrollExpected(self)
        }
    }

    /// Removes the future above this one, if it only forwards to this.
    ///
    /// Called after `forward`, once the closure's own reference to that future is released.
    final func spliceOutUpstream() {
        guard isForwarding, lockIfPending() else { return }
        // Pending and locked, so the upstream's memory is valid.
        var released = DeferredReleases()
        if let middle = upstream,
            middle._withUnsafeGuaranteedRef({ $0.isRoot ? false : $0.tryLock() })
        {
            let this = Unmanaged.passUnretained(self as FutureNode)
            if !middle.spliceOut(for: this, callerRetains: false, &released) {
                middle._withUnsafeGuaranteedRef { $0.unlock() }
            }
        }
        unlock()
        withExtendedLifetime(released) {}
    }

    /// Hands the only node that waits for a forwarding future to that future's upstream.
    ///
    /// - Parameter middle: A forwarding future, of which the caller owns one retain.
    /// - Returns: Whether it was removed. The retain is then released.
    final class func spliceOut(_ middle: Unmanaged<FutureNode>) -> Bool {
        guard let only = middle._withUnsafeGuaranteedRef({ $0.lockWithOnlyWaiter() }) else {
            return false
        }
        var released = DeferredReleases()
        let isDone = middle.spliceOut(for: only, callerRetains: true, &released)
        if !isDone { middle._withUnsafeGuaranteedRef { $0.unlock() } }
        only._withUnsafeGuaranteedRef { $0.unlock() }
        return withExtendedLifetime(released) { isDone }
    }

    /// Removes the future above, then locks this future and the only node that waits for it, if that node is
    /// a forwarding future.
    private func lockWithOnlyWaiter() -> Unmanaged<FutureNode>? {
        spliceOutUpstream()
        // Mostly there is no waiter, which one load shows. Relaxed: a hint, read again under the lock.
        guard word.load(ordering: .relaxed) & ~StateWord.flags != 0, lockIfPending() else {
            return nil
        }
        if let only = Self.node(at: list),
            only._withUnsafeGuaranteedRef({ $0.next == nil ? $0.tryLock() : false })
        {
            if only._withUnsafeGuaranteedRef({ $0.isForwarding }) { return only }
            only._withUnsafeGuaranteedRef { $0.unlock() }
        }
        unlock()
        return nil
    }

    /// Whether a node is the only one in the list of this locked future.
    fileprivate func isOnlyWaiter(_ node: Unmanaged<FutureNode>) -> Bool {
        guard Self.node(at: list)?.toOpaque() == node.toOpaque() else { return false }
        return node._withUnsafeGuaranteedRef { $0.next == nil }
    }
}

/// The objects retained under a lock, to be released once all are unlocked.
private struct DeferredReleases {
    var middle: FutureNode?
    var upstream: FutureNode?
}

extension Unmanaged<FutureNode> {
    /// Replaces this locked future in the list of its upstream by the only node that waits for it.
    ///
    /// - Parameters:
    ///   - only: A forwarding future, locked by the caller, who unlocks it.
    ///   - callerRetains: Whether the caller owns a retain of this, to be given up on success.
    ///   - released: What the caller releases after all locks.
    /// - Returns: Whether this was removed, and unlocked. If not, the caller unlocks it.
    fileprivate func spliceOut(
        for only: Unmanaged<FutureNode>, callerRetains: Bool, _ released: inout DeferredReleases
    ) -> Bool {
        guard _withUnsafeGuaranteedRef({ $0.isForwarding ? $0.isOnlyWaiter(only) : false }) else {
            return false
        }
        let upstream = _withUnsafeGuaranteedRef { $0.retainUpstream() }
        released.upstream = upstream
        guard let upstream, upstream.tryLock() else { return false }
        defer { upstream.unlock() }
        guard _withUnsafeGuaranteedRef({ $0.isEnrolled }) else { return false }
        // The caller's retain, and the list's. While the upstream is locked, the list keeps its own.
        if callerRetains { release() }
        var owned = takeRetainedValue()
        guard isKnownUniquelyReferenced(&owned) else {
            _ = owned.retained()
            if callerRetains { _ = owned.retained() }
            released.middle = owned
            return false
        }
        upstream.replace(self, by: only)
        // Only a weak reference may still lead to it; for that case it is settled and unlocked.
        owned.attachment = .failure(.cancelled)
        owned.unlock(to: StateWord.failure)
        released.middle = owned
        return true
    }
}

import Synchronization

/// Forwarding, and how it keeps a loop of `flatMap`s in constant memory.
///
/// In `func loop() -> Future<…> { step().flatMap { _ in loop() } }`, the future of each turn waits for the future
/// of the next turn. After n turns there would be a chain of n futures that only pass a result on.
///
/// So a future in the middle of such a chain is removed if three things hold: it only forwards, it has no references
/// from outside, and its only waiter is also a forwarding future. In the list of the upstream, that waiter takes the
/// place of the removed future.
///
/// (Twitter's Promise calls the idea `become`, and Scala's calls it `Link`. There, two futures become one. Here they
/// don't, because each of them may be cancelled separately.)
extension FutureNode {
    /// Waits for another future, and settles with its result.
    ///
    /// Called only by the thread that delivers to this future.
    final func forward(from inner: FutureNode, deliver: @escaping Delivery) {
        guard lockIfPending() else {
            // This future was cancelled while the closure ran, so it gives up its interest in what the closure started.
            waitUntilDetached()
            inner.giveUpInterest()
            return
        }
        upstream = .passUnretained(inner)
        isEnrolled = false
        isForwarding = true
        self.deliver = deliver
        unlock()
        // The check comes after the upstream is set, so that when two futures adopt each other at once, one of them
        // detects the cycle.
        if let cycle = cycle(through: inner) {
            failDerived(Failure(cycle))
        } else {
            inner.enrollExpected(self)
        }
    }

    /// Removes this future's upstream from the chain, if the upstream only forwards to this future.
    ///
    /// Called after `forward`, when the closure's own reference to the upstream has been released.
    final func spliceOutUpstream() {
        guard isForwarding, lockIfPending() else { return }
        // This future is pending and locked, so the memory of the upstream is valid.
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

    /// Removes a forwarding future, by moving its only waiter to its upstream.
    ///
    /// - Parameter middle: A forwarding future, which only passes a result on. The caller owns one retain of it.
    /// - Returns: True if the future was removed. The retain is then released.
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

    /// Locks this future and its only waiter, if that waiter is a forwarding future.
    ///
    /// First it tries to remove this future's upstream from the chain.
    ///
    /// - Returns: The waiter; nil if there is no such waiter. In that case, neither future is locked.
    private func lockWithOnlyWaiter() -> Unmanaged<FutureNode>? {
        spliceOutUpstream()
        // Usually there is no waiter, and one load shows that. The load is relaxed, because the word is read again
        // under the lock.
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

    /// Returns whether a node is the only one that has interest in this locked future.
    fileprivate func isOnlyWaiter(_ node: Unmanaged<FutureNode>) -> Bool {
        guard !hasLastingInterest, Self.node(at: list)?.toOpaque() == node.toOpaque() else {
            return false
        }
        return node._withUnsafeGuaranteedRef { $0.next == nil }
    }
}

/// Objects that were retained under a lock, and are released once everything is unlocked.
private struct DeferredReleases {
    var middle: FutureNode?
    var upstream: FutureNode?
}

extension Unmanaged<FutureNode> {
    /// Puts the only waiter of this locked future in this future's place in the upstream's list.
    ///
    /// - Parameters:
    ///   - only: The waiter, a forwarding future. The caller has locked it, and unlocks it.
    ///   - callerRetains: True if the caller owns a retain of this future, to be released on success.
    ///   - released: Receives the objects that the caller releases after all unlocking.
    /// - Returns: True if this future was removed and unlocked. Otherwise the caller unlocks it.
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
        // This releases the caller's retain, and takes over the list's retain. Releasing the caller's retain can't free
        // this future: while the upstream is locked, the upstream's list keeps its retain.
        if callerRetains { release() }
        var owned = takeRetainedValue()
        guard isKnownUniquelyReferenced(&owned) else {
            _ = owned.retained()
            if callerRetains { _ = owned.retained() }
            released.middle = owned
            return false
        }
        upstream.replace(self, by: only)
        // Only a weak reference may still lead here. Code that follows it must find a settled, unlocked future.
        owned.attachment = .failure(.cancelled)
        owned.unlock(to: StateWord.failure)
        released.middle = owned
        return true
    }
}

// MARK: - Cycles

extension FutureNode {
    /// The number of upstreams that are checked when a future is adopted.
    private static var reach: Int { 64 }

    /// The error of a future that would wait for itself; nil if no cycle is found within `reach`.
    ///
    /// The search follows the one upstream of each derived future, beginning with `inner`. A longer cycle, or a cycle
    /// through an aggregate, is reported after ``FutureDiagnostics/awaitingLimit``.
    final func cycle(through inner: FutureNode) -> FutureError? {
        var last = inner
        for _ in 0..<Self.reach {
            if last === self {
                var error = FutureError(.cycle, at: origin)
                if inner !== self { error.secondLocation = inner.origin }
                return error
            }
            guard let upstream = last.lockedUpstream() else { break }
            last = upstream
        }
        if !last.isRoot, last.isPending { FutureDiagnostics.watchForCycle(self) }
        return nil
    }

    /// The upstream of a pending derived future, retained; nil if there is none.
    final func lockedUpstream() -> FutureNode? {
        guard !isRoot, lockIfPending() else { return nil }
        let upstream = retainUpstream()
        unlock()
        return upstream
    }

    /// Searches everything that this future waits for, breadth first, for a way back to this future.
    ///
    /// It visits at most 10,000 nodes.
    ///
    /// - Returns: The nodes of the cycle, or an empty array.
    final func findCycle() -> [FutureNode] {
        var found: [(node: FutureNode, from: Int)] = [(self, -1)]
        var known: Set = [ObjectIdentifier(self)]
        var index = 0
        while index < found.count, found.count < 10_000 {
            let node = found[index].node
            let upstream = node.isRoot ? node.followed : node.lockedUpstream()
            for next in [upstream].compactMap(\.self) + node.inputsOfAggregate {
                if next === self { return way(to: index, in: found) }
                if known.insert(ObjectIdentifier(next)).inserted { found.append((next, index)) }
            }
            index += 1
        }
        return []
    }

    private func way(to end: Int, in found: [(node: FutureNode, from: Int)]) -> [FutureNode] {
        var (way, index): ([FutureNode], Int) = ([], end)
        while index >= 0 {
            way.append(found[index].node)
            index = found[index].from
        }
        return way.reversed()
    }
}

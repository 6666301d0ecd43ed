/// The end of a promise that is released before it settles.
extension Future {
    /// Fails everything that waits for this promise; called by its deinit.
    final func abandon(at location: CodeLocation) {
        let failure = Failure(FutureError(.abandoned, at: location))
        abandon(failure, to: Future(sharing: failure))
    }
}

extension FutureNode {
    /// Fails all that waits for a promise in its deinit.
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
        if list == 0 { FutureDiagnostics.noteUnobserved(self) }
        defer { if let handlers { Self.drop(handlers) } }
        var current = Self.node(at: list)
        while let node = current {
            node._withUnsafeGuaranteedRef {
                current = $0.next
                // If this fails, the node was given up, and that thread may be reading this promise.
                let isLocked = $0.lockIfPending()
                if !isLocked { $0.waitUntilDetached() }
                // Also then: a deferred node is delivered to from its upstream like all others.
                $0.upstream = .passUnretained(heir)
                if isLocked { $0.unlock() }
            }
        }
        if list != 0 { heir.distribute(list) }
    }
}

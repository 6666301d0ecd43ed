/// The end of a promise that is released before it settles.
extension Future {
    /// Fails everything that waits for this promise; called by its deinit.
    @usableFromInline
    final func abandon(at location: SourceLocation) {
        let failure = Failure(FutureError(.abandoned, at: location))
        abandon(failure, to: Future(sharing: failure))
    }
}

extension FutureNode {
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

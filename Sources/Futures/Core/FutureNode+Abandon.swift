extension FutureNode {
    /// Fails all that waits for a promise in its deinit.
    ///
    /// A waiter may be put off until after the promise is gone, so the waiters first get another
    /// upstream: a future that has failed already.
    final func abandon(_ failure: Failure, to heir: FutureNode) {
        // No other thread owns this. One that gave up may be looking at it still, but finds that it
        // is in its deinit, and lets it be (see `Waiter.retainUpstream`).
        guard claim() else {
            waitUntilLeft()
            return
        }
        let handlers = attach(failure)
        defer { withExtendedLifetime(handlers) {} }
        let list = publish(Word.failure)
        protocolStep()
        if list == 0 { return }
        var current = Self.waiter(at: list)
        while let waiter = current {
            waiter._withUnsafeGuaranteedRef {
                current = $0.next
                protocolStep()
                if $0.lockIfPending() {
                    $0.wait(for: heir)
                    $0.unlock()
                } else {
                    // Given up, or about to be; it may be looking at this very promise.
                    $0.waitUntilLeft()
                    // Nobody else follows the reference any more, but one put off is delivered
                    // from its upstream like all others.
                    $0.wait(for: heir)
                }
            }
        }
        protocolStep()
        heir.distribute(list)
    }
}

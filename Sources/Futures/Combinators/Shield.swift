extension Future {
    /// A future with the same result, whose cancellation doesn't reach this future.
    ///
    /// Even if all waiters of the shield give up, this future's producer continues, because the pending shield keeps
    /// its own interest in this future. If you call ``cancel()`` on the shield, only the shield fails. A task that
    /// awaits the shield raises the priority of the tasks that produce this future.
    public final func shielded() -> Future<Value> {
        if isSettled { return self }
        let shield = Shield<Value>()
        let observer = CancellableObserver<Value> { shield.settle(like: $0) }
        shield.observer = observer
        enroll(observer.retained())
        return shield
    }
}

/// A future that takes the result of another future, and doesn't pass a cancellation on to it.
///
/// It has no cancel handlers, so it stays pending when all its waiters have given up.
private final class Shield<Value: Sendable>: Future<Value>, @unchecked Sendable {
    /// The node that waits for the other future.
    ///
    /// The node doesn't keep the other future alive, but it keeps this shield alive until the other future has settled.
    /// While the shield is pending, this property is read under the lock. After that, only the thread that delivers the
    /// result uses it.
    @exclusivity(unchecked) var observer: FutureNode?

    func settle(like source: Future<Value>) {
        _ = finish(as: source)
        observer = nil
    }

    override var inputsOfAggregate: [FutureNode] {
        (copied { observer } ?? nil).map { [$0] } ?? []
    }
}

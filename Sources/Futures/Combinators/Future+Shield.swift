extension Future {
    /// A future with the same result, whose cancellation does not reach this one.
    ///
    /// Code that awaits the shield, or derives from it, may give up: this future keeps one interest for as
    /// long as it is pending, so its producer continues. ``cancel()`` of the shield fails the shield alone.
    /// A task that awaits the shield raises the priority of the tasks that produce this future.
    public final func shielded() -> Future<Value> {
        if isSettled { return self }
        let shield = Shield<Value>()
        let observer = CancellableObserver<Value> { shield.end(as: $0) }
        shield.observer = observer
        enroll(observer.retained())
        return shield
    }
}

/// A root that settles as another future does.
///
/// It has no cancel handlers: it stays pending when all its waiters have given up.
private final class Shield<Value: Sendable>: Future<Value>, @unchecked Sendable {
    /// What waits for the other future, which it does not keep alive; it keeps this until it is called.
    ///
    /// Read under the lock while this is pending; afterwards it belongs to the deliverer.
    @exclusivity(unchecked) var observer: FutureNode?

    func end(as source: Future<Value>) {
        _ = finish(as: source)
        observer = nil
    }

    override var inputsOfAggregate: [FutureNode] {
        (copied { observer } ?? nil).map { [$0] } ?? []
    }
}

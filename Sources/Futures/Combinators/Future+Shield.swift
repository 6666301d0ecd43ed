extension Future {
    /// A future with the same result, whose cancellation does not reach this one.
    ///
    /// Code that awaits the shield, or derives from it, may give up: this future keeps one interest for as
    /// long as it is pending, so its producer continues. ``cancel()`` of the shield fails the shield alone.
    public final func shielded() -> Future<Value> {
        if isSettled { return self }
        let shield = Future()
        _ = observed { _ = shield.finish(as: $0) }
        return shield
    }
}

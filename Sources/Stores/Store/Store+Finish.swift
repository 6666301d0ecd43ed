public import PledgeFutures

extension Store {
    /// Waits until no effect is under way.
    ///
    /// ```swift
    /// try await store.finish(within: .seconds(5)).value
    /// ```
    ///
    /// It also waits for effects that wait for another effect or for a delay, and for effects that an
    /// effect's event begins. Cancel an effect that never ends, such as a listener, before.
    ///
    /// - Parameters:
    ///   - duration: How long to wait.
    ///   - scheduler: The clock.
    /// - Returns: A future that succeeds when no effect is under way, after the observers were notified of
    ///   the last effect's event; at once if none is under way. When the time is over, it fails with
    ///   ``EffectsUnfinished``, which names the effects still under way. It does not keep the store alive,
    ///   and succeeds when the store is released, because its effects are then cancelled. Cancelling it
    ///   cancels no effect.
    public func finish(
        within duration: Duration, on scheduler: some Scheduler = .live
    ) -> Future<Void> {
        core.finish(within: duration, on: scheduler)
    }
}

public import Futures

extension Store {
    /// Waits until no effect is under way.
    ///
    /// ```swift
    /// try await store.finish(within: .seconds(5)).value
    /// ```
    ///
    /// Effects that wait for their turn or their time are waited for, too, and so are those that come
    /// of an effect's event. An effect that never ends, such as one that listens, has to be
    /// cancelled before.
    ///
    /// - Parameters:
    ///   - duration: How long to wait.
    ///   - scheduler: The clock.
    /// - Returns: A future that succeeds when no effect is under way, after the observers were told
    ///   of the last effect's event; at once if there is none now. When the time is over, it fails
    ///   with ``EffectsUnfinished``, which names the effects still under way. It does not keep the
    ///   store alive, and succeeds when the store goes, because its effects are then cancelled.
    ///   Cancelling it cancels no effect.
    public func finish(
        within duration: Duration, on scheduler: some Scheduler = .live
    ) -> Future<Void> {
        core.finish(within: duration, on: scheduler)
    }
}

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
    /// - Returns: A future that succeeds at a moment when no effect is under way, after the observers
    ///   were told of the last one's event; at once if there is none now. It fails with
    ///   ``EffectsUnfinished``, which names what is still under way, when the time is over. It does
    ///   not keep the store alive, and succeeds when the store goes, whose effects are cancelled then.
    ///   To cancel it cancels no effect.
    public func finish(
        within duration: Duration, on scheduler: some Scheduler = .live
    ) -> Future<Void> {
        core.finish(within: duration, on: scheduler)
    }
}

public import Futures

extension Effect {
    /// This effect, begun once no other with the same id has come for a while.
    ///
    /// Each one that comes replaces the one before it, also if that has begun. An effect that is
    /// ``none`` replaces nothing.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value.
    ///   - duration: For how long it must have been quiet.
    ///   - scheduler: The clock.
    public func debounce(
        id: some Hashable & Sendable, for duration: Duration, on scheduler: some Scheduler = .live
    ) -> Effect {
        guard !isNone else { return self }
        return Effect(kind: .delayed(self, duration, scheduler)).id(id, .newest)
    }

    /// This effect, unless another with the same id has begun a short time ago.
    ///
    /// The first begins at once. One that begins replaces an earlier one that has not ended. An effect
    /// that is ``none`` replaces nothing.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value. To cancel it ends the interval, too, and so does an effect
    ///     that comes with it and ``EffectPolicy/newest``.
    ///   - interval: How long after the beginning of one no other begins.
    ///   - latest: Whether the last one that came meanwhile begins at the end of the interval, which
    ///     starts another. If false, all that come meanwhile are dropped.
    ///   - scheduler: The clock.
    public func throttle(
        id: some Hashable & Sendable, for interval: Duration, latest: Bool = true,
        on scheduler: some Scheduler = .live
    ) -> Effect {
        guard !isNone else { return self }
        let throttling = Throttling(interval: interval, keepsLatest: latest, scheduler: scheduler)
        return Effect(kind: .throttled(self, EffectID(id), throttling))
    }
}

public import PledgeFutures

extension Effect {
    /// This effect, begun when no other with the same id has come for a duration.
    ///
    /// Each one that comes replaces the one before it, also if that has begun. An effect that is
    /// ``none`` replaces nothing.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value.
    ///   - duration: How long no other effect with the id must have come.
    ///   - scheduler: The clock.
    public func debounce(
        id: some Hashable & Sendable, for duration: Duration, on scheduler: some Scheduler = .live
    ) -> Effect {
        guard !isNone else { return self }
        return Effect(kind: .delayed(self, duration, scheduler)).id(id, .newest)
    }

    /// This effect, unless another with the same id has begun within the interval before.
    ///
    /// The first begins at once. One that begins replaces an earlier one that has not ended. An effect
    /// that is ``none`` replaces nothing.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value. Cancelling the id ends the interval, and so does an effect with
    ///     the id and ``EffectPolicy/newest``.
    ///   - interval: How long after the beginning of one effect no other begins.
    ///   - latest: Whether the last effect that came within the interval begins at its end, which starts
    ///     another interval. If false, all that come within the interval are discarded.
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

extension Effect {
    /// This effect with an id, by which another can replace it, wait for it or cancel it.
    ///
    /// Ids belong to one store: effects of two stores with the same id are independent.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value.
    ///   - policy: What happens if an effect with this id has not ended yet. By default the newest
    ///     replaces it: after the event that replaces it has been reduced, no event of the replaced effect is
    ///     reduced, unless that event has entered the middleware before.
    /// - Returns: An effect that does the same, with an id. An effect that is ``none`` gets no id, and so
    ///   replaces nothing; an effect that only cancels others gets one.
    public func id(_ id: some Hashable & Sendable, _ policy: EffectPolicy = .newest) -> Effect {
        isNone ? self : Effect(kind: .identified(self, EffectID(id), policy))
    }

    /// Cancels the effects with an id, including those that wait for another effect or for a delay.
    ///
    /// Their futures are cancelled, and their late results discarded. The interval of a throttled id ends.
    /// Without such effects, nothing happens.
    ///
    /// - Parameter id: The id. Effects of other stores with the same id are not touched.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(kind: .cancel(EffectID(id)))
    }
}

extension Effect {
    /// This effect with a name, by which another can replace it, wait for it or cancel it.
    ///
    /// Ids belong to one store: two stores that use the same id do not disturb each other.
    ///
    /// - Parameters:
    ///   - id: The name: any hashable value.
    ///   - policy: What happens if an effect with this id has not ended yet. By default the newest
    ///     replaces it: from the moment that the event's state is made no event of the replaced one
    ///     is reduced any more, unless that event has entered the middleware before.
    /// - Returns: An effect that does the same, with a name. An effect that is ``none`` gets no name,
    ///   and so replaces nothing; one that only cancels others does.
    public func id(_ id: some Hashable & Sendable, _ policy: EffectPolicy = .newest) -> Effect {
        isNone ? self : Effect(kind: .identified(self, EffectID(id), policy))
    }

    /// Cancels the effects with an id, those that wait for their turn or for their time included.
    ///
    /// Their futures are cancelled, and their late results dropped. The interval of a throttled id
    /// ends. Harmless if there is none.
    ///
    /// - Parameter id: The id. Effects of other stores with the same id are not touched.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(kind: .cancel(EffectID(id)))
    }
}

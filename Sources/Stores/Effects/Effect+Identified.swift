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

    /// Cancels the effects with an id, including those that wait: for another effect, for a delay, or as a later part
    /// of `concatenate`.
    ///
    /// Their futures are cancelled, and their late results discarded. The interval of a throttled id ends.
    /// Without such effects, nothing happens. Effects that come after this one in the same sequence are not
    /// cancelled, so `.concatenate(.cancel(id: 1), load.id(1))` begins anew.
    ///
    /// - Parameter id: The id. Effects of other stores with the same id are not touched.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(kind: .cancel(EffectID(id)))
    }
}

extension Effect {
    /// Whether it is, or has a part that is, an effect with an id.
    func contains(_ id: EffectID) -> Bool {
        switch kind {
        case .none, .start, .run, .cancel: false
        case .merge(let effects), .concatenate(let effects): effects.contains { $0.contains(id) }
        case .identified(let effect, let own, _): own == id || effect.contains(id)
        case .throttled(let effect, let own, _): own == id || effect.contains(id)
        case .delayed(let effect, _, _): effect.contains(id)
        }
    }

    /// The same without the parts with an id.
    func without(_ id: EffectID) -> Effect {
        switch kind {
        case .none, .start, .run, .cancel: return self
        case .merge(let effects): return .merge(effects.map { $0.without(id) })
        case .concatenate(let effects): return .concatenate(effects.map { $0.without(id) })
        case .identified(let effect, let own, let policy):
            let rest = own == id ? .none : effect.without(id)
            return rest.isNone ? .none : Effect(kind: .identified(rest, own, policy))
        case .throttled(let effect, let own, let throttling):
            let rest = own == id ? .none : effect.without(id)
            return rest.isNone ? .none : Effect(kind: .throttled(rest, own, throttling))
        case .delayed(let effect, let delay, let scheduler):
            let rest = effect.without(id)
            return rest.isNone ? .none : Effect(kind: .delayed(rest, delay, scheduler))
        }
    }
}

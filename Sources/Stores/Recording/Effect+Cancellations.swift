extension Effect {
    /// The cancellations and replacements of this effect, without the work that it begins.
    var cancellations: Effect {
        switch kind {
        case .cancel: return self
        case .merge(let effects): return .merge(effects.map(\.cancellations))
        case .concatenate(let effects):
            // Cancellations after an effect that begins work would happen later.
            let first = effects.firstIndex { !$0.isCancel } ?? effects.endIndex
            return .merge(effects.prefix(first + 1).map(\.cancellations))
        case .identified(let effect, let id, .newest):
            return .merge(Effect(kind: .cancel(id)), effect.cancellations)
        case .identified(let effect, _, _): return effect.cancellations
        default: return .none
        }
    }

    private var isCancel: Bool {
        if case .cancel = kind { true } else { false }
    }
}

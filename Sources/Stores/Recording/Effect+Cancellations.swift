extension Effect {
    /// What this effect cancels and replaces as it begins, without what it begins.
    var cancellations: Effect {
        switch kind {
        case .cancel: return self
        case .merge(let effects): return .merge(effects.map(\.cancellations))
        case .concatenate(let effects):
            // What comes after one that begins something would come later.
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

extension Effect {
    /// Several effects at once.
    ///
    /// - Parameter effects: The effects. They begin in this order, and none waits for another.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Several effects at once.
    ///
    /// - Parameter effects: The effects, as an array. They begin in this order, and none waits for another.
    public static func merge(_ effects: [Effect]) -> Effect {
        let some = effects.filter { !$0.isNone }
        return some.count > 1 ? Effect(kind: .merge(some)) : some.first ?? .none
    }

    /// Several effects, one after another.
    ///
    /// - Parameter effects: The effects. Each begins when the one before it has ended: its event was
    ///   dispatched and the observers notified, or it failed, or it was cancelled by its own id.
    public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

    /// Several effects, one after another.
    ///
    /// - Parameter effects: The effects, as an array. Each begins when the one before it has ended:
    ///   its event was dispatched and the observers notified, or it failed, or it was cancelled by its own
    ///   id.
    public static func concatenate(_ effects: [Effect]) -> Effect {
        let some = effects.filter { !$0.isNone }
        return some.count > 1 ? Effect(kind: .concatenate(some)) : some.first ?? .none
    }

    /// Whether there is nothing to do.
    @inlinable
    var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether it consists of other effects, or wraps one that waits.
    var hasParts: Bool {
        switch kind {
        case .none, .start, .run: false
        case .merge, .concatenate, .identified, .delayed, .throttled, .cancel: true
        }
    }
}

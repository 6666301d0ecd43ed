extension EffectReducer {
    /// Calls several reducers of the same state, one after another.
    ///
    /// - Parameter reducers: The reducers. Each gets the state that the one before it made. Their
    ///   effects are merged in this order. Without reducers, the state stays as it is.
    public static func combine(_ reducers: EffectReducer...) -> EffectReducer {
        EffectReducer { state, event in
            var effects: [Effect<Event>] = []
            for reducer in reducers { effects.append(reducer.body(&state, event)) }
            return .merge(effects)
        }
    }

    /// Combines the reducers of a state's parts into one of the whole.
    ///
    /// - Parameter parts: The key path of each part, and its reducer. They are called in this order, all of
    ///   them with every event, and their effects are merged in this order.
    public static func combine<each Part>(
        parts: repeat (
            any WritableKeyPath<State, each Part> & Sendable, EffectReducer<each Part, Event>
        )
    ) -> EffectReducer {
        EffectReducer { state, event in
            var effects: [Effect<Event>] = []
            for (path, reducer) in repeat each parts {
                effects.append(reducer.body(&state[keyPath: path], event))
            }
            return .merge(effects)
        }
    }
}

extension Reducer {
    /// Calls several reducers of the same state, one after another.
    ///
    /// - Parameter reducers: The reducers. Each gets the state that the one before it made. Without reducers,
    ///   the state stays as it is.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        Reducer { (state: inout State, event: Event) in
            for reducer in reducers { reducer.body(&state, event) }
        }
    }

    /// Combines the reducers of a state's parts into one of the whole.
    ///
    /// ```swift
    /// let screen = Reducer<Screen, Event>.combine(
    ///     parts: (\.list, listReducer), (\.filter, filterReducer)
    /// )
    /// ```
    ///
    /// - Parameter parts: The key path of each part, and its reducer. They are called in this order, all of
    ///   them with every event.
    public static func combine<each Part>(
        parts: repeat (any WritableKeyPath<State, each Part> & Sendable, Reducer<each Part, Event>)
    ) -> Reducer {
        Reducer { (state: inout State, event: Event) in
            for (path, reducer) in repeat each parts {
                reducer.body(&state[keyPath: path], event)
            }
        }
    }
}

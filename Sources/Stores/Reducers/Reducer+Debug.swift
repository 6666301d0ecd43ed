extension Reducer {
    /// This reducer, which also prints what each event changes.
    ///
    /// ```
    /// counter: increase
    ///   - count: 0
    ///   + count: 1
    /// ```
    ///
    /// It is a tool for development: a state's text may contain secrets.
    ///
    /// - Parameters:
    ///   - name: The beginning of the lines.
    ///   - output: Called with the text for an event; by default it prints it. In a store it runs inside
    ///     dispatch, so it must not use the store.
    /// - Returns: A reducer that makes the same states, and has the same effects.
    public func debug(
        _ name: String = "\(State.self)",
        to output: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Reducer {
        let debugged: @Sendable (inout State, Event) -> Effect<Event> = { state, event in
            let old = state
            let effect = body(&state, event)
            let lines = StateDiff(from: old, to: state).lines
            let changes = lines.isEmpty ? ["no change"] : lines
            output((["\(name): \(event)"] + changes.map { "  \($0)" }).joined(separator: "\n"))
            return effect
        }
        return Reducer(
            mayHaveEffects: mayHaveEffects, change: { _ = debugged(&$0, $1) }, withEffect: debugged)
    }
}

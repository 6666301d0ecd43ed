extension Reducer {
    /// This reducer, which also says what each event changed.
    ///
    /// ```
    /// counter: increase
    ///   - count: 0
    ///   + count: 1
    /// ```
    ///
    /// It is a tool for development: a state's text may hold what must not be in a log.
    ///
    /// - Parameters:
    ///   - name: What the lines begin with.
    ///   - output: Where the text of an event goes; by default it is printed. In a store it runs
    ///     inside dispatch, where the store must not be used.
    /// - Returns: A reducer that makes the same states.
    public func debug(
        _ name: String = "\(State.self)",
        to output: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Reducer {
        Reducer { (state: inout State, event: Event) in
            let old = state
            body(&state, event)
            let lines = StateDiff(from: old, to: state).lines
            let changes = lines.isEmpty ? ["no change"] : lines
            output((["\(name): \(event)"] + changes.map { "  \($0)" }).joined(separator: "\n"))
        }
    }
}

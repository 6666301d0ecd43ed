extension Reducer {
    /// Makes a reducer of a whole from this reducer of a part.
    ///
    /// - Parameter part: The key path of the part.
    /// - Returns: A reducer that changes only the part.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Whole, Event> {
        Reducer<Whole, Event> { (whole: inout Whole, event: Event) in
            body(&whole[keyPath: part], event)
        }
    }

    /// Makes a reducer of a whole, with events of its own, from this reducer of a part.
    ///
    /// - Parameters:
    ///   - part: The key path of the part.
    ///   - extract: Returns the part's event from one of the whole, or nil if the event does not concern the
    ///     part; then nothing changes.
    /// - Returns: A reducer that changes only the part.
    public func scope<Whole, WholeEvent>(
        _ part: any WritableKeyPath<Whole, State> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> Event?
    ) -> Reducer<Whole, WholeEvent> {
        Reducer<Whole, WholeEvent> { (whole: inout Whole, event: WholeEvent) in
            guard let event = extract(event) else { return }
            body(&whole[keyPath: part], event)
        }
    }
}

extension Reducer {
    /// Makes a reducer of a whole from this one of a part.
    ///
    /// - Parameter part: Where the part is.
    /// - Returns: A reducer that changes the part alone.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Whole, Event> {
        Reducer<Whole, Event> { (whole: inout Whole, event: Event) in
            body(&whole[keyPath: part], event)
        }
    }

    /// Makes a reducer of a whole, with events of its own, from this one of a part.
    ///
    /// - Parameters:
    ///   - part: Where the part is.
    ///   - extract: Returns the part's event from one of the whole, or nil where it is not the part's
    ///     concern; nothing changes then.
    /// - Returns: A reducer that changes the part alone.
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

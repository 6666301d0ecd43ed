extension EffectReducer {
    /// Makes a reducer of a whole from this reducer of a part.
    ///
    /// - Parameter part: The key path of the part.
    /// - Returns: A reducer that changes only the part. The ids of its effects do not change: they belong to
    ///   the store.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> EffectReducer<Whole, Event> {
        EffectReducer<Whole, Event> { whole, event in body(&whole[keyPath: part], event) }
    }

    /// Makes a reducer of a whole, with events of its own, from this reducer of a part.
    ///
    /// - Parameters:
    ///   - part: The key path of the part.
    ///   - extract: Returns the part's event from one of the whole, or nil if the event does not concern the
    ///     part; then nothing changes.
    ///   - embed: Makes the whole's event from one of the part, such as an enum's case, for the events of the
    ///     part's effects.
    /// - Returns: A reducer that changes only the part. The ids of its effects do not change: they belong to
    ///   the store.
    public func scope<Whole, WholeEvent: Sendable>(
        _ part: any WritableKeyPath<Whole, State> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> Event?,
        embed: @escaping @Sendable (Event) -> WholeEvent
    ) -> EffectReducer<Whole, WholeEvent> {
        EffectReducer<Whole, WholeEvent> { whole, event in
            guard let event = extract(event) else { return .none }
            return body(&whole[keyPath: part], event).map(embed)
        }
    }
}

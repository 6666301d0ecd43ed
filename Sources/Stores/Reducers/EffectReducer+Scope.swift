extension EffectReducer {
    /// Makes a reducer of a whole from this one of a part.
    ///
    /// - Parameter part: Where the part is.
    /// - Returns: A reducer that changes the part alone. The ids of its effects stay as they are: they
    ///   are the store's.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> EffectReducer<Whole, Event> {
        EffectReducer<Whole, Event> { whole, event in body(&whole[keyPath: part], event) }
    }

    /// Makes a reducer of a whole, with events of its own, from this one of a part.
    ///
    /// - Parameters:
    ///   - part: Where the part is.
    ///   - extract: Returns the part's event from one of the whole, or nil where it is not the part's
    ///     concern; nothing changes then.
    ///   - embed: Makes the whole's event from one of the part, such as an enum's case: what the
    ///     part's effects dispatch.
    /// - Returns: A reducer that changes the part alone. The ids of its effects stay as they are: they
    ///   are the store's.
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

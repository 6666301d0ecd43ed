extension EffectReducer where State: Identifiable & Sendable, State.ID: Sendable {
    /// Makes a reducer of a collection from this one of an element.
    ///
    /// ```swift
    /// let list = row.forEach(\.rows) { event in
    ///     if case .row(let id, let event) = event { (id, event) } else { nil }
    /// } embed: {
    ///     .row($0, $1)
    /// }
    /// ```
    ///
    /// The ids of an element's effects are that element's own: `"load"` of one row and `"load"` of
    /// another do not disturb each other. From outside, ``Effect/cancel(id:of:in:)`` names them.
    /// Effects go on when their element is removed; their events change nothing then.
    ///
    /// - Parameters:
    ///   - elements: Where the collection is. If several elements have the same id, the first is
    ///     used.
    ///   - extract: Returns the element's id and event from an event of the whole, or nil where it is
    ///     no element's concern. Nothing changes then, nor where there is no element with that id:
    ///     it may have gone before its event came.
    ///   - embed: Makes the whole's event from an element's id and event: what the element's effects
    ///     dispatch.
    /// - Returns: A reducer that changes one element. O(*n*) for *n* elements.
    public func forEach<Whole, WholeEvent: Sendable, Elements: MutableCollection & Sendable>(
        _ elements: any WritableKeyPath<Whole, Elements> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (State.ID, Event)?,
        embed: @escaping @Sendable (State.ID, Event) -> WholeEvent
    ) -> EffectReducer<Whole, WholeEvent>
    where Elements.Element == State, Elements.Index: Sendable {
        EffectReducer<Whole, WholeEvent> { whole, event in
            guard let (id, event) = extract(event),
                let index = whole[keyPath: elements].firstIndex(where: { $0.id == id })
            else { return .none }
            return body(&whole[keyPath: elements][index], event)
                .ids(of: id, in: elements).map { embed(id, $0) }
        }
    }
}

extension EffectReducer {
    /// Makes a reducer of a dictionary from this one of a value.
    ///
    /// The ids of a value's effects are that value's own, as with `forEach`.
    ///
    /// - Parameters:
    ///   - values: Where the dictionary is.
    ///   - extract: Returns the value's key and event from an event of the whole, or nil where it is
    ///     no value's concern. Nothing changes then, nor where there is no value for that key.
    ///   - embed: Makes the whole's event from a value's key and event.
    /// - Returns: A reducer that changes one value.
    public func forEach<Whole, WholeEvent: Sendable, Key: Hashable & Sendable>(
        _ values: any WritableKeyPath<Whole, [Key: State]> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (Key, Event)?,
        embed: @escaping @Sendable (Key, Event) -> WholeEvent
    ) -> EffectReducer<Whole, WholeEvent> {
        EffectReducer<Whole, WholeEvent> { whole, event in
            guard let (key, event) = extract(event),
                let index = whole[keyPath: values].index(forKey: key)
            else { return .none }
            return body(&whole[keyPath: values].values[index], event)
                .ids(of: key, in: values).map { embed(key, $0) }
        }
    }
}

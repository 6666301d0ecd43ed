extension EffectReducer where State: Identifiable & Sendable, State.ID: Sendable {
    /// Makes a reducer of a collection from this reducer of an element.
    ///
    /// ```swift
    /// let list = row.forEach(\.rows) { event in
    ///     if case .row(let id, let event) = event { (id, event) } else { nil }
    /// } embed: {
    ///     .row($0, $1)
    /// }
    /// ```
    ///
    /// The ids of an element's effects are that element's own: `"load"` of one row and `"load"` of another
    /// are independent. Outside the element, ``Effect/cancel(id:of:in:)`` refers to them. Effects continue
    /// when their element is removed; their events then change nothing.
    ///
    /// - Parameters:
    ///   - elements: The key path of the collection. If several elements have the same id, the first is
    ///     used.
    ///   - extract: Returns the element's id and event from an event of the whole, or nil if the event does
    ///     not concern an element. Then nothing changes; nothing changes either if there is no element with
    ///     that id, because it may have been removed before its event arrived.
    ///   - embed: Makes the whole's event from an element's id and event, for the events of the element's
    ///     effects.
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
    /// Makes a reducer of a dictionary from this reducer of a value.
    ///
    /// The ids of a value's effects are that value's own, as with `forEach`.
    ///
    /// - Parameters:
    ///   - values: The key path of the dictionary.
    ///   - extract: Returns the value's key and event from an event of the whole, or nil if the event does
    ///     not concern a value. Then nothing changes; nothing changes either if there is no value for that
    ///     key.
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

extension Reducer where State: Identifiable & Sendable, State.ID: Sendable {
    /// Makes a reducer of a collection from this reducer of an element.
    ///
    /// ```swift
    /// let list = todo.forEach(\.todos) { event in
    ///     if case .todo(let id, let event) = event { (id, event) } else { nil }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: The key path of the collection. If several elements have the same id, the first is
    ///     used.
    ///   - extract: Returns the element's id and event from an event of the whole, or nil if the event does
    ///     not concern an element. Then nothing changes; nothing changes either if there is no element with
    ///     that id, because it may have been removed before its event arrived.
    /// - Returns: A reducer that changes one element. O(*n*) for *n* elements.
    public func forEach<Whole, WholeEvent, Elements: MutableCollection & Sendable>(
        _ elements: any WritableKeyPath<Whole, Elements> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (State.ID, Event)?
    ) -> Reducer<Whole, WholeEvent> where Elements.Element == State, Elements.Index: Sendable {
        Reducer<Whole, WholeEvent> { (whole: inout Whole, event: WholeEvent) in
            guard let (id, event) = extract(event),
                let index = whole[keyPath: elements].firstIndex(where: { $0.id == id })
            else { return }
            body(&whole[keyPath: elements][index], event)
        }
    }
}

extension Reducer {
    /// Makes a reducer of a dictionary from this reducer of a value.
    ///
    /// - Parameters:
    ///   - values: The key path of the dictionary.
    ///   - extract: Returns the value's key and event from an event of the whole, or nil if the event does
    ///     not concern a value. Then nothing changes; nothing changes either if there is no value for that
    ///     key.
    /// - Returns: A reducer that changes one value.
    public func forEach<Whole, WholeEvent, Key: Hashable & Sendable>(
        _ values: any WritableKeyPath<Whole, [Key: State]> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (Key, Event)?
    ) -> Reducer<Whole, WholeEvent> {
        Reducer<Whole, WholeEvent> { (whole: inout Whole, event: WholeEvent) in
            guard let (key, event) = extract(event),
                let index = whole[keyPath: values].index(forKey: key)
            else { return }
            body(&whole[keyPath: values].values[index], event)
        }
    }
}

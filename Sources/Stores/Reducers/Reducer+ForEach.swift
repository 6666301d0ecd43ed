extension Reducer where State: Identifiable & Sendable, State.ID: Sendable {
    /// Makes a reducer of a collection from this one of an element.
    ///
    /// ```swift
    /// let list = todo.forEach(\.todos) { event in
    ///     if case .todo(let id, let event) = event { (id, event) } else { nil }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: Where the collection is. If several elements have the same id, the first is
    ///     used.
    ///   - extract: Returns the element's id and event from an event of the whole, or nil where it is
    ///     no element's concern. Nothing changes then, nor where there is no element with that id:
    ///     it may have gone before its event came.
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
    /// Makes a reducer of a dictionary from this one of a value.
    ///
    /// - Parameters:
    ///   - values: Where the dictionary is.
    ///   - extract: Returns the value's key and event from an event of the whole, or nil where it is
    ///     no value's concern. Nothing changes then, nor where there is no value for that key.
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

extension Reducer {
    /// Calls several reducers of the same state, one after another.
    ///
    /// - Parameter reducers: The reducers. Each gets the state that the one before it made. Their effects are merged
    ///   in this order. Without reducers, the state stays as it is.
    public static func combine(_ reducers: Reducer...) -> Reducer {
        Reducer(mayHaveEffects: reducers.contains(where: \.mayHaveEffects)) { state, event in
            for reducer in reducers { reducer.change(&state, event) }
        } withEffect: { state, event in
            var effects: [Effect<Event>] = []
            for reducer in reducers {
                let effect = reducer.body(&state, event)
                if !effect.isNone { effects.append(effect) }
            }
            return .merge(effects)
        }
    }

    /// Combines the reducers of a state's parts into one of the whole.
    ///
    /// ```swift
    /// let screen = Reducer<Screen, Event>.combine(
    ///     parts: (\.list, listReducer), (\.filter, filterReducer)
    /// )
    /// ```
    ///
    /// - Parameter parts: The key path of each part, and its reducer. They are called in this order, all of
    ///   them with every event, and their effects are merged in this order.
    public static func combine<each Part>(
        parts: repeat (any WritableKeyPath<State, each Part> & Sendable, Reducer<each Part, Event>)
    ) -> Reducer {
        var mayHaveEffects = false
        for (_, reducer) in repeat each parts {
            mayHaveEffects = mayHaveEffects || reducer.mayHaveEffects
        }
        return Reducer(mayHaveEffects: mayHaveEffects) { state, event in
            for (path, reducer) in repeat each parts {
                reducer.change(&state[keyPath: path], event)
            }
        } withEffect: { state, event in
            var effects: [Effect<Event>] = []
            for (path, reducer) in repeat each parts {
                let effect = reducer.body(&state[keyPath: path], event)
                if !effect.isNone { effects.append(effect) }
            }
            return .merge(effects)
        }
    }

    /// Makes a reducer of a whole from this reducer of a part.
    ///
    /// - Parameter part: The key path of the part.
    /// - Returns: A reducer that changes only the part. The ids of its effects do not change: they belong to
    ///   the store.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Whole, Event> {
        Reducer<Whole, Event>(mayHaveEffects: mayHaveEffects) { whole, event in
            change(&whole[keyPath: part], event)
        } withEffect: { whole, event in
            body(&whole[keyPath: part], event)
        }
    }

    /// Makes a reducer of a whole, with events of its own, from this reducer of a part.
    ///
    /// - Parameters:
    ///   - part: The key path of the part.
    ///   - extract: Returns the part's event from one of the whole, or nil if the event does not concern the
    ///     part; then nothing changes.
    ///   - embed: Makes the whole's event from one of the part, such as an enum's case, for the events of the
    ///     part's effects. Leaving it out for a reducer with effects is a programming error and traps.
    /// - Returns: A reducer that changes only the part. The ids of its effects do not change: they belong to
    ///   the store.
    public func scope<Whole, WholeEvent: Sendable>(
        _ part: any WritableKeyPath<Whole, State> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> Event?,
        embed: (@Sendable (Event) -> WholeEvent)? = nil
    ) -> Reducer<Whole, WholeEvent> {
        requireEmbed(embed != nil)
        return Reducer<Whole, WholeEvent>(mayHaveEffects: mayHaveEffects) { whole, event in
            if let event = extract(event) { change(&whole[keyPath: part], event) }
        } withEffect: { whole, event in
            guard let embed, let event = extract(event) else { return .none }
            return body(&whole[keyPath: part], event).map(embed)
        }
    }

    /// This reducer, for a state that may be nil.
    ///
    /// - Returns: A reducer that does nothing, and has no effects, while the state is nil.
    public var optional: Reducer<State?, Event> {
        Reducer<State?, Event>(mayHaveEffects: mayHaveEffects) { state, event in
            if state != nil { change(&state!, event) }
        } withEffect: { state, event in
            state == nil ? .none : body(&state!, event)
        }
    }

    /// Makes a reducer of a dictionary from this reducer of a value.
    ///
    /// The ids of a value's effects are that value's own, as with an element of a collection.
    ///
    /// - Parameters:
    ///   - values: The key path of the dictionary.
    ///   - extract: Returns the value's key and event from an event of the whole, or nil if the event does
    ///     not concern a value. Then nothing changes; nothing changes either if there is no value for that
    ///     key.
    ///   - embed: Makes the whole's event from a value's key and event, for the events of the value's effects.
    ///     Leaving it out for a reducer with effects is a programming error and traps.
    /// - Returns: A reducer that changes one value.
    public func forEach<Whole, WholeEvent: Sendable, Key: Hashable & Sendable>(
        _ values: any WritableKeyPath<Whole, [Key: State]> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (Key, Event)?,
        embed: (@Sendable (Key, Event) -> WholeEvent)? = nil
    ) -> Reducer<Whole, WholeEvent> {
        let find: @Sendable (Whole, WholeEvent) -> (key: Key, event: Event, [Key: State].Index)? = {
            guard let (key, event) = extract($1) else { return nil }
            return $0[keyPath: values].index(forKey: key).map { (key, event, $0) }
        }
        requireEmbed(embed != nil)
        return Reducer<Whole, WholeEvent>(mayHaveEffects: mayHaveEffects) { whole, event in
            guard let (_, event, index) = find(whole, event) else { return }
            change(&whole[keyPath: values].values[index], event)
        } withEffect: { whole, event in
            guard let embed, let (key, event, index) = find(whole, event) else { return .none }
            return body(&whole[keyPath: values].values[index], event)
                .ids(of: key, in: values).map { embed(key, $0) }
        }
    }

    /// Stops the program where the events of a part's effects would be lost.
    private func requireEmbed(_ isThere: Bool) {
        precondition(
            isThere || !mayHaveEffects,
            """
            Reducer: a reducer of \(State.self) has effects, and nothing makes the whole's events from \
            theirs. Pass embed: to scope or forEach.
            """)
    }
}

extension Reducer where State: Identifiable & Sendable, State.ID: Sendable {
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
    ///     effects. Leaving it out for a reducer with effects is a programming error and traps.
    /// - Returns: A reducer that changes one element. O(*n*) for *n* elements.
    public func forEach<Whole, WholeEvent: Sendable, Elements: MutableCollection & Sendable>(
        _ elements: any WritableKeyPath<Whole, Elements> & Sendable,
        event extract: @escaping @Sendable (WholeEvent) -> (State.ID, Event)?,
        embed: (@Sendable (State.ID, Event) -> WholeEvent)? = nil
    ) -> Reducer<Whole, WholeEvent> where Elements.Element == State, Elements.Index: Sendable {
        let find: @Sendable (Whole, WholeEvent) -> (id: State.ID, event: Event, Elements.Index)? = {
            guard let (id, event) = extract($1) else { return nil }
            return $0[keyPath: elements].firstIndex { $0.id == id }.map { (id, event, $0) }
        }
        requireEmbed(embed != nil)
        return Reducer<Whole, WholeEvent>(mayHaveEffects: mayHaveEffects) { whole, event in
            guard let (_, event, index) = find(whole, event) else { return }
            change(&whole[keyPath: elements][index], event)
        } withEffect: { whole, event in
            guard let embed, let (id, event, index) = find(whole, event) else { return .none }
            return body(&whole[keyPath: elements][index], event)
                .ids(of: id, in: elements).map { embed(id, $0) }
        }
    }
}

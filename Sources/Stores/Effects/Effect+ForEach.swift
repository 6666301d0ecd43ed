extension Effect {
    /// Cancels the effects with an id that one element of a collection has begun.
    ///
    /// ```swift
    /// case .remove(let id):
    ///     state.rows.removeAll { $0.id == id }
    ///     return .cancel(id: "load", of: id, in: \List.rows)
    /// ```
    ///
    /// - Parameters:
    ///   - id: The id, as the element's reducer gave it.
    ///   - element: The element's id, or a value's key.
    ///   - elements: The key path of the collection, as passed to `Reducer.forEach`.
    public static func cancel<Whole, Elements>(
        id: some Hashable & Sendable, of element: some Hashable & Sendable,
        in elements: any WritableKeyPath<Whole, Elements> & Sendable
    ) -> Effect {
        Effect.cancel(id: id).ids(of: element, in: elements)
    }

    /// This effect, with ids that belong to one element.
    func ids<Whole, Elements>(
        of element: some Hashable & Sendable,
        in elements: any WritableKeyPath<Whole, Elements> & Sendable
    ) -> Effect {
        mapIDs { EffectID(ElementEffectID(id: $0, element: EffectID(element), elements: elements)) }
    }

    private func mapIDs(_ transform: (EffectID) -> EffectID) -> Effect {
        switch kind {
        case .none, .start, .run: self
        case .merge(let effects): Effect(kind: .merge(effects.map { $0.mapIDs(transform) }))
        case .concatenate(let effects):
            Effect(kind: .concatenate(effects.map { $0.mapIDs(transform) }))
        case .identified(let effect, let id, let policy):
            Effect(kind: .identified(effect.mapIDs(transform), transform(id), policy))
        case .delayed(let effect, let delay, let scheduler):
            Effect(kind: .delayed(effect.mapIDs(transform), delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            Effect(kind: .throttled(effect.mapIDs(transform), transform(id), throttling))
        case .cancel(let id): Effect(kind: .cancel(transform(id)))
        }
    }
}

/// The id of an effect of one element of a collection.
private struct ElementEffectID: Hashable, Sendable, CustomStringConvertible {
    let id: EffectID
    let element: EffectID
    let elements: any AnyKeyPath & Sendable

    var description: String { "\(id.name) of \(element.name)" }

    static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.element == right.element && left.elements == right.elements
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(element)
    }
}

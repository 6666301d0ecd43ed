/// A pure function from a state and an event to the next state, and possibly an effect.
///
/// ```swift
/// let returning = Reducer<Int, Int> { state, event in state + event }
/// let curried = Reducer<Int, Int> { state in { event in state + event } }
/// let inPlace = Reducer<Int, Int> { state, event in state += event }
/// let withEffects = Reducer<Int, Int>(effects: { state, event in
///     state += event
///     return event == 0 ? .future(randomNumber()).id("number") : .none
/// })
///
/// inPlace.reduce(1, 2)  // 3
/// ```
///
/// ``Store``, ``StoreRecorder`` and `TestStore` take a reducer. However you wrote a reducer, you can call it in each of
/// these ways: in place, with a returned state, or curried. The reducer runs on the calling thread, before the call
/// returns; any thread may call it.
public struct Reducer<State, Event: Sendable>: Sendable {
    /// Makes the next state.
    ///
    /// Without effects, only this function is called: returning an effect, even `none`, costs a tenth of a dispatch,
    /// and again for each reducer inside another.
    @usableFromInline
    let change: @Sendable (inout State, Event) -> Void
    /// Makes the next state and the effect; nil if there are no effects.
    @usableFromInline
    let changeWithEffect: (@Sendable (inout State, Event) -> Effect<Event>)?

    @usableFromInline
    var mayHaveEffects: Bool { changeWithEffect != nil }

    /// Both functions have to make the same state; `withEffect` is dropped if `mayHaveEffects` is false.
    init(
        mayHaveEffects: Bool, change: @escaping @Sendable (inout State, Event) -> Void,
        withEffect: @escaping @Sendable (inout State, Event) -> Effect<Event>
    ) {
        self.change = change
        changeWithEffect = mayHaveEffects ? withEffect : nil
    }

    @inlinable
    func body(_ state: inout State, _ event: Event) -> Effect<Event> {
        if let changeWithEffect { return changeWithEffect(&state, event) }
        change(&state, event)
        return .none
    }

    /// Creates a reducer that changes the state in place.
    ///
    /// - Parameter reduce: Changes the passed state, and must be pure in other respects.
    @_disfavoredOverload  // So a switch whose branches are states returns a state.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) -> Void) {
        change = reduce
        changeWithEffect = nil
    }

    /// Creates a reducer that returns the next state.
    ///
    /// - Parameter reduce: A pure function of the state and the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State, Event) -> State) {
        change = { $0 = reduce($0, $1) }
        changeWithEffect = nil
    }

    /// Creates a reducer from a function that takes the state first, then the event.
    ///
    /// - Parameter reduce: A pure function of the state that returns a pure function of the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State) -> (Event) -> State) {
        change = { $0 = reduce($0)($1) }
        changeWithEffect = nil
    }

    /// Creates a reducer that changes the state in place and returns an effect.
    ///
    /// Write the label `effects:`. Without it, a closure that fits another form makes a reducer of that form.
    /// For example, if the state type has a `.none` of its own, a closure that returns `.none` returns a state.
    ///
    /// - Parameters:
    ///   - reduce: Changes the passed state, and returns the effect or `.none`. It must be pure in other
    ///     respects: the store begins the effect later.
    ///   - nothing: Leave it out. It makes the compiler prefer the forms without effects.
    @_disfavoredOverload
    @inlinable
    public init(
        effects reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        _ nothing: Void = ()
    ) {
        change = { _ = reduce(&$0, $1) }
        changeWithEffect = reduce
    }
}

extension Reducer where State: Reducible, State.Event == Event {
    /// Creates the reducer that a state defines.
    @inlinable
    public init() {
        self.init { state, event in State.reduce(state, event: event) }
    }
}

extension Reducer {
    /// Changes a state in place.
    ///
    /// - Parameters:
    ///   - state: The state to change.
    ///   - event: What happened.
    /// - Returns: The effect, which has not begun.
    @inlinable
    @discardableResult
    public func reduce(_ state: inout State, _ event: Event) -> Effect<Event> {
        body(&state, event)
    }

    /// Returns the next state, without the effect.
    ///
    /// - Parameters:
    ///   - state: The state before.
    ///   - event: What happened.
    @inlinable
    public func reduce(_ state: State, _ event: Event) -> State {
        var next = state
        _ = body(&next, event)
        return next
    }

    /// Returns a function from an event to the next state, without the effect.
    ///
    /// - Parameter state: The state that every call of the function starts from.
    @inlinable
    public func reduce(_ state: State) -> (Event) -> State {
        { event in reduce(state, event) }
    }
}

/// A state that defines its events and its reducer.
///
/// ```swift
/// struct Counter: Reducible {
///     var count = 0
///
///     enum Event { case increase, decrease }
///
///     static func reduce(_ state: Counter, event: Event) -> Counter {
///         switch event {
///         case .increase: Counter(count: state.count + 1)
///         case .decrease: Counter(count: state.count - 1)
///         }
///     }
/// }
///
/// let store = Store(initialState: Counter(), reducer: Reducer())
/// ```
public protocol Reducible: Sendable {
    /// The events that change the state.
    associatedtype Event: Sendable

    /// Returns the next state; must be pure.
    ///
    /// - Parameters:
    ///   - state: The state before.
    ///   - event: What happened.
    static func reduce(_ state: Self, event: Event) -> Self
}

extension Reducer {
    /// Combines several reducers of the same state.
    ///
    /// - Parameter reducers: The reducers. Each gets the state that the one before it made. Their effects are
    ///   merged in this order. Without reducers, the state stays unchanged.
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

    /// Combines the reducers of a state's parts into one reducer of the whole.
    ///
    /// ```swift
    /// let screen = Reducer<Screen, Event>.combine(
    ///     parts: (\.list, listReducer), (\.filter, filterReducer)
    /// )
    /// ```
    ///
    /// - Parameter parts: The key path and the reducer of each part. Every event goes to all reducers in this
    ///   order, and their effects are merged in this order.
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

    /// Turns this reducer of a part into a reducer of the whole.
    ///
    /// - Parameter part: The key path of the part.
    /// - Returns: A reducer that changes only the part. Its effects keep their ids, and share them with all
    ///   other effects of the store.
    public func scope<Whole>(
        _ part: any WritableKeyPath<Whole, State> & Sendable
    ) -> Reducer<Whole, Event> {
        Reducer<Whole, Event>(mayHaveEffects: mayHaveEffects) { whole, event in
            change(&whole[keyPath: part], event)
        } withEffect: { whole, event in
            body(&whole[keyPath: part], event)
        }
    }

    /// Turns this reducer of a part into a reducer of a whole that has its own events.
    ///
    /// - Parameters:
    ///   - part: The key path of the part.
    ///   - extract: Returns the part's event from the whole's event. If it returns nil, the event doesn't
    ///     concern the part, and nothing changes.
    ///   - embed: Converts the events of the part's effects to events of the whole. An enum's case will do. If
    ///     the reducer has effects, leaving `embed` out is a programming error and traps.
    /// - Returns: A reducer that changes only the part. Its effects keep their ids, and share them with all
    ///   other effects of the store.
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
    /// While the state is nil, it does nothing and has no effects.
    public var optional: Reducer<State?, Event> {
        Reducer<State?, Event>(mayHaveEffects: mayHaveEffects) { state, event in
            if state != nil { change(&state!, event) }
        } withEffect: { state, event in
            state == nil ? .none : body(&state!, event)
        }
    }

    /// Turns this reducer of a value into a reducer of a whole with a dictionary of such values.
    ///
    /// Each value has its own effect ids, so effects of two values are independent, even if their ids are equal.
    ///
    /// - Parameters:
    ///   - values: The key path of the dictionary.
    ///   - extract: Returns the value's key and event from the whole's event, or nil if the event doesn't
    ///     concern a value. Nothing changes if it returns nil, or if there is no value for the key.
    ///   - embed: Makes an event of the whole from a value's key and an event of its effects. If the reducer
    ///     has effects, leaving `embed` out is a programming error and traps.
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

    /// Traps if the events of a part's effects would be lost.
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
    /// Turns this reducer of an element into a reducer of a whole with a collection of such elements.
    ///
    /// ```swift
    /// let list = row.forEach(\.rows) { event in
    ///     if case .row(let id, let event) = event { (id, event) } else { nil }
    /// } embed: {
    ///     .row($0, $1)
    /// }
    /// ```
    ///
    /// Each element has its own effect ids: `"load"` of one row and `"load"` of another are independent. To
    /// cancel an element's effect from outside the element, return ``Effect/cancel(id:of:in:)``. Effects continue
    /// when their element is removed; their events then change nothing.
    ///
    /// - Parameters:
    ///   - elements: The key path of the collection. If several elements have the same id, the first is used.
    ///   - extract: Returns the element's id and event from the whole's event, or nil if the event doesn't
    ///     concern an element. Nothing changes if it returns nil, or if no element has the id, for example
    ///     because the element was removed before its event arrived.
    ///   - embed: Makes an event of the whole from an element's id and an event of its effects. If the reducer
    ///     has effects, leaving `embed` out is a programming error and traps.
    /// - Returns: A reducer that changes one element, in O(*n*) time for *n* elements.
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

extension Reducer {
    /// This reducer, which also prints a report of what each event changes.
    ///
    /// ```
    /// counter: increase
    ///   - count: 0
    ///   + count: 1
    /// ```
    ///
    /// Use it only during development: a state's text may contain secrets.
    ///
    /// - Parameters:
    ///   - name: The beginning of each report.
    ///   - output: Called with the report of each event; by default it prints the text. In a store it runs
    ///     inside dispatch, so it must not use the store.
    /// - Returns: A reducer that makes the same states and effects.
    public func debug(
        _ name: String = "\(State.self)",
        to output: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Reducer {
        let debugged: @Sendable (inout State, Event) -> Effect<Event> = { state, event in
            let old = state
            let effect = body(&state, event)
            let lines = StateDiff(from: old, to: state).lines
            let changes = lines.isEmpty ? ["no change"] : lines
            output((["\(name): \(event)"] + changes.map { "  \($0)" }).joined(separator: "\n"))
            return effect
        }
        return Reducer(
            mayHaveEffects: mayHaveEffects, change: { _ = debugged(&$0, $1) }, withEffect: debugged)
    }
}

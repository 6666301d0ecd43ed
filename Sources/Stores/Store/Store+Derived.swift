extension Store {
    /// A part of the state as a store of its own, which notifies only of changes of that part.
    ///
    /// - Parameter part: A key path, or a pure function of the state.
    @inlinable
    public func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> DerivedStore<Part, Event> {
        derived(part, event: { $0 })
    }

    /// A part of the state as a store of its own, with events of its own.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - event: Makes the store's event from one of the part, such as an enum's case.
    @inlinable
    public func derived<Part: Equatable & Sendable, PartEvent: Sendable>(
        _ part: @escaping @Sendable (State) -> Part,
        event: @escaping @Sendable (PartEvent) -> Event
    ) -> DerivedStore<Part, PartEvent> {
        DerivedStore<Part, PartEvent>(
            core.derived(part), send: { self.dispatch(event: event($0)) })
    }
}

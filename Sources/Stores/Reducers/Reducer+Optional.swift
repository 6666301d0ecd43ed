extension Reducer {
    /// This reducer, for a state that may be nil.
    ///
    /// - Returns: A reducer that does nothing while the state is nil.
    public var optional: Reducer<State?, Event> {
        Reducer<State?, Event> { (state: inout State?, event: Event) in
            guard state != nil else { return }
            body(&state!, event)
        }
    }
}

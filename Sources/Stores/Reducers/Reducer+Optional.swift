extension Reducer {
    /// This reducer, of a state that may be missing.
    ///
    /// - Returns: A reducer that does nothing while the state is nil.
    public var optional: Reducer<State?, Event> {
        Reducer<State?, Event> { (state: inout State?, event: Event) in
            guard state != nil else { return }
            body(&state!, event)
        }
    }
}

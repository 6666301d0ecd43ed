public import PledgeFutures
public import PledgeStores

extension Store where State: Reducible, State.Event == Event {
    /// Creates a store of a state that reduces its own events, with the article's spelling.
    ///
    /// - Parameter initailState: The state at the beginning.
    @inlinable
    public convenience init(initailState: State) {
        self.init(initialState: initailState, reducer: Reducer())
    }
}

extension Store {
    /// Creates a store of a state and a reducing function, with the article's spelling.
    ///
    /// - Parameters:
    ///   - initailState: The state at the beginning.
    ///   - reduce: Makes the next state from the state and an event.
    @inlinable
    public convenience init(
        initailState: State, reduce: @escaping @Sendable (State, Event) -> State
    ) {
        self.init(initialState: initailState, reducer: Reducer(reduce))
    }
}

extension Store {
    /// Dispatches an event, with the article's spelling: `dispatch(event)`.
    ///
    /// - Parameter event: What happened.
    @inlinable
    public func dispatch(event: Event) { dispatch(event) }

    /// Stops calling an observer, with the article's spelling: `subscription.cancel()`.
    ///
    /// - Parameter subscriptionID: The token that `subscribe(observer:)` has returned.
    public func unsubscribe(_ subscriptionID: ObserverToken) { subscriptionID.cancel() }
}

extension Store {
    /// The current state and the following ones, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await state in store.states { render(state) }
    /// ```
    ///
    /// Each access makes a new sequence, subscribed from then on, for one loop. While the loop is busy, only
    /// the newest state is kept for it; older ones are discarded. The sequence does not keep the store alive,
    /// and ends when the store is released, after the state that is kept.
    public var states: AsyncStream<State> { core.stream { $0 } }
}

extension StoreCore {
    /// A stream of the values that a function makes from the states.
    func stream<Element: Sendable>(
        _ transform: @escaping @Sendable (State) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let id = subscribe(at: nil, onClose: { continuation.finish() }) { _, new in
            continuation.yield(transform(new))
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        return stream
    }
}

extension Store {
    /// The state now, and those that follow, to be awaited.
    ///
    /// ```swift
    /// for await state in store.states { render(state) }
    /// ```
    ///
    /// Each access is a sequence of its own, subscribed from then on, for one loop. While the loop is
    /// busy only the newest state waits for it; older ones are dropped. The sequence does
    /// not keep the store alive, and ends when the store goes, after the state that waits.
    public var states: AsyncStream<State> { core.stream { $0 } }
}

extension StoreCore {
    /// A stream of what a function makes of the states.
    func stream<Element: Sendable>(
        _ transform: @escaping @Sendable (State) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let id = subscribe(onClose: { continuation.finish() }) { _, new in
            continuation.yield(transform(new))
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        return stream
    }
}

extension Effect {
    /// The events of an asynchronous sequence, each dispatched when it arrives.
    ///
    /// The next one is asked for when the one before was dispatched. The effect ends with the
    /// sequence. When it is replaced or cancelled, or the store is released, the task that awaits the
    /// sequence is cancelled.
    ///
    /// - Parameter sequence: The sequence. The expression is not evaluated before the store begins
    ///   the effect. If it throws, the effect has failed, and the store calls `onFailure`; use
    ///   ``run(priority:_:catch:)`` for other handling.
    public static func events<Events: AsyncSequence & TaskUsable>(
        of sequence: @autoclosure @escaping @Sendable () -> Events
    ) -> Effect where Events.Element == Event, Events.AsyncIterator: TaskUsable {
        .run { send in
            for try await event in sequence() { send(event) }
        }
    }

    /// The elements of an asynchronous sequence, each dispatched as an event when it arrives.
    ///
    /// ```swift
    /// .events(of: socket.messages) { .received($0) }.id("messages")
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: The sequence, as with ``events(of:)``.
    ///   - event: Makes the event. It is called in the task that awaits the sequence.
    public static func events<Elements: AsyncSequence & TaskUsable>(
        of sequence: @autoclosure @escaping @Sendable () -> Elements,
        _ event: @escaping @Sendable (Elements.Element) -> Event
    ) -> Effect where Elements.AsyncIterator: TaskUsable {
        .run { send in
            for try await element in sequence() { send(event(element)) }
        }
    }
}

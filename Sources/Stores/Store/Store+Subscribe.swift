extension Store {
    /// Calls an observer with the state now, and whenever an event is dispatched.
    ///
    /// - Parameter observer: Called with the state before and the state after: first with nil and the
    ///   state at the time of subscription, then once for each newer event, also if it changed
    ///   nothing. Where the queue is idle, the first call comes before this method returns; within
    ///   an observer, or while another thread tells the observers, it is queued. The same
    ///   function subscribed twice is called twice.
    /// - Returns: What ``unsubscribe(_:)`` takes. Letting it go ends nothing.
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being told.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        core.subscribe(observer)
    }
}

extension Store {
    /// Calls an observer with a part of the state now, and whenever that part has changed.
    ///
    /// ```swift
    /// store.subscribe(to: \.name) { old, new in show(new) }
    /// ```
    ///
    /// `\.self` is the whole state, without the events that change nothing.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - observer: Called as with ``subscribe(observer:)``, except that it is not called where the
    ///     part is equal before and after.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe<Part: Equatable & Sendable>(
        to part: @escaping @Sendable (State) -> Part,
        observer: @escaping @Sendable (_ oldPart: Part?, _ newPart: Part) -> Void
    ) -> UUID {
        core.subscribe { old, new in
            let newPart = part(new)
            guard let old else { return observer(nil, newPart) }
            let oldPart = part(old)
            if oldPart != newPart { observer(oldPart, newPart) }
        }
    }

    /// Calls an observer on the main actor, with the state now and for each event.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - observer: Called as with ``subscribe(observer:)``, in the same order, but always
    ///     asynchronously, also when the main thread dispatches: the store may be newer by then.
    /// - Returns: What ``unsubscribe(_:)`` takes. After it returns on the main actor, the observer is
    ///   not called again.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        let observer = MainActorObserver(observer)
        return core.subscribe(onClose: { observer.close() }) { old, new in
            observer.receive(old, new)
        }
    }
}

public import PledgeFutures

// The article's form, whose observer stays until its id is passed back.
extension Store {
    /// Calls an observer with the current state, and for each event.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called with the state before and the state after: first with nil and the
    ///     state at the time of subscription, then once for each newer event, also if it changed nothing. If
    ///     the queue is idle, the first call is made before this method returns; within an observer, or while
    ///     another thread notifies the observers, it is queued. The same function subscribed twice is called
    ///     twice.
    /// - Returns: What ``unsubscribe(_:)`` takes. It is a value, and no token: the subscription lives as long as the
    ///   store. ``subscription(fileID:line:observer:)`` returns a token, which ends with its owner.
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being notified.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        core.subscribe(at: CodeLocation(fileID: fileID, line: line), onClose: nil, observer)
    }

    /// Stops calling an observer.
    ///
    /// After it returns, the observer is not called again, except for a call that another thread is making at
    /// this moment.
    ///
    /// - Parameter subscriptionID: What ``subscribe(fileID:line:observer:)`` returned, of the store or of one that is
    ///   derived from it. Nothing happens if it is no longer subscribed, or belongs to another store.
    /// - Complexity: O(*n*) for *n* observers.
    public func unsubscribe(_ subscriptionID: UUID) { core.unsubscribe(subscriptionID) }
}

extension Store {
    /// Calls an observer until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``.
    /// - Returns: The subscription, to keep as long as the observer should be called.
    @preconcurrency
    public func subscription(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        core.subscription(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// Calls an observer with a part of the state, and after each change of it, until the returned subscription is
    /// released.
    ///
    /// ```swift
    /// store.subscription(to: \.name) { old, new in show(new) }.kept()
    /// ```
    ///
    /// It's short for a subscription of ``derived(_:)``. With `\.self` the observer gets the whole state, but no
    /// events that change nothing.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``, but not if the part is equal before and
    ///     after.
    /// - Returns: The subscription, to keep as long as the observer should be called.
    @preconcurrency
    public func subscription<Part: Equatable & Sendable>(
        to part: @escaping @Sendable (State) -> Part,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldPart: Part?, _ newPart: Part) -> Void
    ) -> Subscription {
        core.derived(part).subscription(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// Calls an observer on the main actor, until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``, in the same order, but always
    ///     asynchronously, also when the main thread dispatches. The store may have a newer state then. Once the
    ///     subscription has ended on the main actor, the observer is not called again.
    /// - Returns: The subscription, to keep as long as the observer should be called.
    public func subscription(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        core.subscriptionOnMainActor(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// The current state and the following ones, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await state in store.states { render(state) }
    /// ```
    ///
    /// Each access makes a new sequence, subscribed from then on, for one loop. While the loop is busy, only
    /// the newest state is kept for it; older ones are discarded. The sequence does not keep the store alive,
    /// and ends when the store is released, after the state that is kept.
    public var states: AsyncStream<State> { core.states }
}

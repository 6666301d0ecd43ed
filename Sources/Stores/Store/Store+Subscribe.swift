public import Futures

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
    /// - Returns: What ``unsubscribe(_:)`` takes. Releasing it does not end the subscription.
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being notified.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        core.subscribe(at: SourceLocation(fileID: fileID, line: line), observer)
    }
}

extension Store {
    /// Calls an observer with a part of the current state, and after each change of that part.
    ///
    /// ```swift
    /// store.subscribe(to: \.name) { old, new in show(new) }
    /// ```
    ///
    /// With `\.self` the observer gets the whole state, but no events that change nothing.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``, except that it is not called if the part is
    ///     equal before and after.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe<Part: Equatable & Sendable>(
        to part: @escaping @Sendable (State) -> Part,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldPart: Part?, _ newPart: Part) -> Void
    ) -> UUID {
        core.subscribe(at: SourceLocation(fileID: fileID, line: line)) { old, new in
            let newPart = part(new)
            guard let old else { return observer(nil, newPart) }
            let oldPart = part(old)
            if oldPart != newPart { observer(oldPart, newPart) }
        }
    }

    /// Calls an observer on the main actor, with the current state and for each event.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``, in the same order, but always
    ///     asynchronously, also when the main thread dispatches. The store may have a newer state then.
    /// - Returns: What ``unsubscribe(_:)`` takes. After it returns on the main actor, the observer is
    ///   not called again.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        let observer = MainActorObserver(observer)
        let place = SourceLocation(fileID: fileID, line: line)
        return core.subscribe(at: place, onClose: { observer.close() }) { old, new in
            observer.receive(old, new)
        }
    }
}

extension Store {
    /// Calls an observer until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``.
    /// - Returns: The subscription; keep it as long as the observer should be called.
    @preconcurrency
    public func subscription(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        subscription(subscribe(fileID: fileID, line: line, observer: observer))
    }

    /// Calls an observer with a part of the state, until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(to:fileID:line:observer:)``.
    /// - Returns: The subscription; keep it as long as the observer should be called.
    @preconcurrency
    public func subscription<Part: Equatable & Sendable>(
        to part: @escaping @Sendable (State) -> Part,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldPart: Part?, _ newPart: Part) -> Void
    ) -> Subscription {
        subscription(subscribe(to: part, fileID: fileID, line: line, observer: observer))
    }

    /// Calls an observer on the main actor, until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(on:fileID:line:observer:)``.
    /// - Returns: The subscription; keep it as long as the observer should be called.
    public func subscription(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        subscription(subscribe(on: actor, fileID: fileID, line: line, observer: observer))
    }

    private func subscription(_ id: UUID) -> Subscription {
        Subscription { [weak core] in core?.unsubscribe(id) }
    }
}

extension DerivedStore {
    /// Calls an observer until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``.
    /// - Returns: The subscription; keep it as long as the observer should be called. It does not need
    ///   this derived store.
    @preconcurrency
    public func subscription(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        source.subscription(subscribe(fileID: fileID, line: line, observer: observer))
    }

    /// Calls an observer on the main actor, until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(on:fileID:line:observer:)``.
    /// - Returns: The subscription; keep it as long as the observer should be called. It does not need
    ///   this derived store.
    public func subscription(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        source.subscription(subscribe(on: actor, fileID: fileID, line: line, observer: observer))
    }
}

extension Derivation {
    @usableFromInline
    func subscription(_ id: UUID) -> Subscription {
        Subscription { [weak core] in core?.unsubscribe(id) }
    }
}

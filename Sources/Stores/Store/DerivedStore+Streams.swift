internal import Futures

extension DerivedStore {
    /// The current part and its changes, as an asynchronous sequence; otherwise as ``Store/states``.
    ///
    /// The sequence does not keep the store alive, and ends when the store is released. It does not need this
    /// derived store.
    public var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let id = source.subscribe(at: nil, onClose: { continuation.finish() }) { _, new in
            continuation.yield(new)
        }
        continuation.onTermination = { [source] _ in source.unsubscribe(id) }
        return stream
    }

    /// Calls an observer on the main actor, with the current part and after each change of it.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``Store/subscribe(on:fileID:line:observer:)``.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        let observer = MainActorObserver(observer)
        return source.subscribe(
            at: SourceLocation(fileID: fileID, line: line), onClose: { observer.close() }
        ) { old, new in
            observer.receive(old, new)
        }
    }
}

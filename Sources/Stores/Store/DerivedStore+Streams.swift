#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DerivedStore {
    /// The part now, and its changes, to be awaited; otherwise as ``Store/states``.
    ///
    /// It ends when the derived store goes.
    public var states: AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let id = source.subscribe(onClose: { continuation.finish() }) { _, new in
            continuation.yield(new)
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(id) }
        return stream
    }

    /// Calls an observer on the main actor, with the part now and whenever it has changed.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - observer: Called as with ``Store/subscribe(on:observer:)``.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        let observer = MainActorObserver(observer)
        return source.subscribe(onClose: { observer.close() }) { old, new in
            observer.receive(old, new)
        }
    }
}

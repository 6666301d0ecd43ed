internal import Futures

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoreCore {
    /// Adds a subscriber, and replays the state to it.
    func subscribe(
        onClose: (@Sendable () -> Void)? = nil,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> UUID {
        let id = UUID()
        subscribe { values in
            let subscriber = Subscriber<State>(
                id: id, since: values.version, onClose: onClose, receive: receive)
            values.subscribers.append(subscriber)
            let state = values.state
            return { subscriber.replay(state) }
        }
        return id
    }

    /// Removes a subscriber, if it is there.
    func unsubscribe(_ id: UUID) {
        trapIfReducing("unsubscribe")
        let subscriber = values.withLock { values -> Subscriber<State>? in
            guard let index = values.subscribers.firstIndex(where: { $0.id == id }) else {
                return nil
            }
            return values.subscribers.remove(at: index)
        }
        subscriber?.deactivate()
    }
}

public import Futures

extension StoreCore {
    /// Adds a subscriber, and replays the state to it.
    @inlinable
    func subscribe(
        at place: SourceLocation?, onClose: (@Sendable () -> Void)? = nil,
        _ receive: @escaping Subscriber<State>.Receive
    ) -> UUID {
        let id = UUID()
        enterReplay { values in
            let subscriber = Subscriber<State>(
                id: id, since: values.version, at: place, onClose: onClose, receive: receive)
            values.subscribers.append(subscriber)
            let state = values.state
            return { subscriber.replay(state) }
        }
        return id
    }

    /// Enters the replay to a subscriber that `add` adds under the lock.
    @usableFromInline
    func enterReplay(_ add: (inout Values) -> @Sendable () -> Void) {
        trapIfReducing("subscribe")
        enter { values in .replay(add(&values)) }
    }

    /// Removes a subscriber of the store or of a part, if it is there.
    @usableFromInline
    func unsubscribe(_ id: UUID) {
        trapIfReducing("unsubscribe")
        values.withLock { $0.subscribers.remove(id) }?.deactivate()
    }
}

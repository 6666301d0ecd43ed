public import PledgeFutures

extension StoreCore: StateSource {
    /// Adds a subscriber, and replays the state to it.
    @inlinable
    func subscribe(
        at place: CodeLocation?, onClose: (@Sendable () -> Void)? = nil,
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

    @usableFromInline
    func ending(_ id: UUID) -> @Sendable () -> Void {
        { [weak self] in self?.unsubscribe(id) }
    }

    @usableFromInline
    func newer(than known: State, _ version: UInt64) -> (state: State, version: UInt64)? {
        let now = versioned
        return now.version == version ? nil : now
    }

    @inlinable
    func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> any StateSource<Part> {
        Derivation(of: self, part)
    }
}

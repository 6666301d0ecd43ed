/// The interface that an ``ObservedStore`` needs of a whole or derived store.
struct ObservedSource<State: Sendable, Event: Sendable>: Sendable {
    /// Returns the state and its version, unless the caller has that version.
    let newer: @Sendable (_ known: State, _ version: UInt64) -> (state: State, version: UInt64)?
    let send: @Sendable (Event) -> Void
    let subscribe: @Sendable (_ notice: @escaping @Sendable () -> Void) -> UUID
    let unsubscribe: @Sendable (UUID) -> Void

    init(_ store: Store<State, Event>) {
        newer = { _, version in
            let now = store.core.versioned
            return now.version == version ? nil : now
        }
        send = { store.dispatch(event: $0) }
        subscribe = { notice in store.subscribe { _, _ in notice() } }
        unsubscribe = { store.unsubscribe($0) }
    }

    init(_ store: DerivedStore<State, Event>) where State: Equatable {
        newer = { known, version in
            let now = store.state
            return now == known ? nil : (now, version)
        }
        send = { store.dispatch(event: $0) }
        subscribe = { notice in store.subscribe { _, _ in notice() } }
        unsubscribe = { store.unsubscribe($0) }
    }
}

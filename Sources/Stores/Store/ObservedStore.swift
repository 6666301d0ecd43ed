internal import Dispatch
public import Observation
internal import PledgeFutures

/// A store for a view: on the main actor, and observable.
///
/// ```swift
/// @State var counter = ObservedStore(store)
///
/// var body: some View {
///     Button("\(counter.count)") { counter.dispatch(event: .increase) }
/// }
/// ```
///
/// ``state`` is the newest state that the main actor was notified of. It includes an event that is dispatched
/// here when ``dispatch(event:)`` returns. It includes an event from elsewhere some time later,
/// asynchronously; several such events may be one change.
///
/// Reading any property depends on the whole state. If that redraws too much, observe a derived store, which
/// changes only with its part.
///
/// It keeps its store alive, and unsubscribes when it is released.
@MainActor @Observable @dynamicMemberLookup
public final class ObservedStore<State: Sendable, Event: Sendable> {
    /// The state that the view was last notified of.
    public private(set) var state: State

    @ObservationIgnored private var version: UInt64
    @ObservationIgnored private var subscription: Subscription?
    @ObservationIgnored private var refreshes = 0
    private let source: any StateSource<State>
    /// Keeps the store alive.
    private let send: @Sendable (Event) -> Void

    /// Makes the view of a store.
    ///
    /// - Parameter store: The store.
    public convenience init(_ store: Store<State, Event>) {
        self.init(store.core) { store.dispatch(event: $0) }
    }

    /// Makes the view of a derived store, which changes only with that part.
    ///
    /// - Parameter store: The derived store.
    public convenience init(_ store: DerivedStore<State, Event>) where State: Equatable {
        self.init(store.source, store.send)
    }

    private init(_ source: any StateSource<State>, _ send: @escaping @Sendable (Event) -> Void) {
        (state, version) = source.versioned
        self.source = source
        self.send = send
        let isOnItsWay = Locked(false)
        subscription = source.subscription(at: nil) { [weak self] _, _ in
            let wasOnItsWay = isOnItsWay.withLock { flag in
                defer { flag = true }
                return flag
            }
            guard !wasOnItsWay else { return }
            DispatchQueue.main.async {
                isOnItsWay.withLock { $0 = false }
                MainActor.assumeIsolated { self?.refresh() }
            }
        }
    }

    /// A property of the state.
    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
        state[keyPath: path]
    }

    /// Dispatches an event to the store, and takes over the new state.
    ///
    /// - Parameter event: The event. It behaves as ``Store/dispatch(event:)``.
    public func dispatch(event: Event) {
        send(event)
        refresh()
    }

    private func refresh() {
        var count: Int
        repeat {
            refreshes &+= 1
            count = refreshes
            guard let now = source.newer(than: state, version) else { return }
            // Observation calls its observers before the state is set. If one of them dispatches, the state
            // set here is older than the state set meanwhile. Objects of the old state may use the view when
            // they are freed, so it is released after the assignment.
            let old = state
            (state, version) = now
            withExtendedLifetime(old) {}
        } while count != refreshes
    }
}

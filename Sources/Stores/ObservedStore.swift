internal import Dispatch
public import Observation
internal import PledgeFutures

#if canImport(SwiftUI)
public import SwiftUI
#endif

/// An observable store for views, on the main actor.
///
/// ```swift
/// @State var counter = ObservedStore(store)
///
/// var body: some View {
///     Button("\(counter.count)") { counter.dispatch(.increase) }
/// }
/// ```
///
/// ``state`` is the newest state that the main actor was notified of. When ``dispatch(_:)`` returns,
/// ``state`` includes the event that you dispatched. Events that other code dispatches arrive later,
/// asynchronously, and several of them may arrive as one change.
///
/// A view that reads any property depends on the whole state. If that redraws the view too often, observe a
/// derived store, which changes only with its part.
///
/// An observed store keeps its store alive, and unsubscribes when the observed store itself is released.
@MainActor @Observable @dynamicMemberLookup
public final class ObservedStore<State: Sendable, Event: Sendable> {
    /// The newest state that the view was notified of.
    public private(set) var state: State

    @ObservationIgnored private var version: UInt64
    @ObservationIgnored private var subscription: ScopedObserver?
    @ObservationIgnored private var refreshes = 0
    private let source: any StateSource<State>
    /// Dispatches to the store; the closure also keeps the store alive.
    private let send: @Sendable (Event) -> Void

    /// Creates an observable store from a store.
    ///
    /// - Parameter store: The store.
    public convenience init(_ store: Store<State, Event>) {
        self.init(store.core) { store.dispatch($0) }
    }

    /// Creates an observable store from a derived store, which changes only with its part.
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
        let token = source.subscribe(at: nil, onClose: nil) { [weak self] _, _ in
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
        subscription = token.scoped()
    }

    /// A property of the state.
    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
        state[keyPath: path]
    }

    /// Dispatches an event to the store, and updates ``state``.
    ///
    /// - Parameter event: The event, handled as in ``Store/dispatch(_:)``.
    public func dispatch(_ event: Event) {
        send(event)
        refresh()
    }

    private func refresh() {
        var count: Int
        repeat {
            refreshes &+= 1
            count = refreshes
            guard let now = source.stateIfNewer(than: state, since: version) else { return }
            // Observers run before the assignment changes the state. If one dispatches, the nested call sets a newer
            // state, which this one then overwrites with an older one. So the loop runs again. The old state is
            // released after the assignment, because its objects may use this object when they are freed.
            let old = state
            (state, version) = now
            withExtendedLifetime(old) {}
        } while count != refreshes
    }
}

#if canImport(SwiftUI)
extension ObservedStore {
    /// A binding to a property of the state: setting it dispatches an event.
    ///
    /// ```swift
    /// TextField("Name", text: store.binding(\.name, Event.nameChanged))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The property to read.
    ///   - event: Makes the event from the new value. An enum's case will do. When the binding's setter
    ///     returns, the state includes the event.
    /// - Returns: A binding, which keeps the store alive.
    public func binding<Value: Sendable>(
        _ path: any KeyPath<State, Value> & Sendable,
        _ event: @escaping @Sendable (Value) -> Event
    ) -> Binding<Value> {
        Binding(
            get: { MainActor.assumeIsolated { self.state[keyPath: path] } },
            set: { value in MainActor.assumeIsolated { self.dispatch(event(value)) } })
    }
}
#endif
